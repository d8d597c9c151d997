"""Containers and clusters."""

from __future__ import annotations

from typing import Final

_COMPOSERS: Final = ("docker-compose", "podman-compose")
_ENGINES: Final = ("docker", "podman", "nerdctl")
_RUN: Final = """-a --attach= | --blkio-weight-device= | --cpu-count= | --cpu-percent= | --cpu-rt-period=
    --cpu-rt-runtime= | --device-read-iops= | --device-write-bps= | --device-write-iops=
    --health-start-interval= | --io-maxbandwidth= | --io-maxiops= | --link-local-ip= | --add-host=
    --annotation= | --blkio-weight= | --cap-add=! | --cap-drop= | --cgroup-parent= | --cgroupns=
    --cidfile=write! | --cpu-period= | --cpu-quota= | --cpu-shares -c= | --cpus= | --cpuset-cpus=
    --cpuset-mems= | --detach-keys= | --device=! | --device-cgroup-rule= | --device-read-bps= | --dns=
    --dns-option= | --dns-search= | --domainname= | --entrypoint=shell! | -e --env=env | --env-file=read
    --expose= | --gpus= | --group-add= | --health-cmd=shell! | --health-interval= | --health-retries=
    --health-start-period= | --health-timeout= | -h --hostname= | --ip= | --ip6= | --ipc=! | --isolation=
    --kernel-memory= | -l --label= | --label-file=read | --link= | --log-driver= | --log-opt= | --mac-address=
    -m --memory= | --memory-reservation= | --memory-swap= | --memory-swappiness= | --mount=mount! | --name=
    --network --net= | --network-alias= | --oom-score-adj= | --pid=! | --pids-limit= | --platform=
    -p --publish= | --pull= | --restart= | --runtime=! | --security-opt=! | --shm-size= | --stop-signal=
    --stop-timeout= | --storage-opt= | --sysctl= | --tmpfs= | -u --user= | --ulimit= | --userns=! | --uts=!
    -v --volume=mount! | --volume-driver= | --volumes-from=! | -w --workdir= | --secret= | --pod=
    --authfile=read | --hooks-dir=script! | --seccomp-policy= | --requires= | --conmon-pidfile=write!
    --pidfile=write! | --tz= | --umask= | --rootfs! | --arch= | --os= | --variant= | --chrootdirs=
    --health-on-failure= | --image-volume= | --personality= | --preserve-fds= | --sdnotify= | --subgidname=
    --subuidname= | --systemd= | --timeout= | --uidmap= | --gidmap= | --unsetenv= | --decryption-key=read
    -d --detach | -i --interactive | -t --tty | --rm | --privileged! | --read-only | --init | --no-healthcheck
    -P --publish-all | -q --quiet | --sig-proxy=? | --replace | --env-host"""
_EXEC: Final = """-d --detach | --detach-keys= | -e --env=env | --env-file=read | -i --interactive
    --privileged! | -t --tty | -u --user= | -w --workdir= | -l --latest | --preserve-fds="""
_BUILD: Final = """operands:read | does:write | does:network | -f --file=read | -t --tag= | --build-arg=
    --build-context= | --cache-from= | --cache-to=! | --target= | --platform= | -o --output=write!
    --secret=mount! | --ssh=! | --label= | --network= | --add-host= | --progress= | --iidfile=write!
    --metadata-file=write! | --allow=! | --builder= | --cpu-period= | --cpu-quota= | -c= | --cpuset-mems=
    --memory-swap= | --ulimit= | --shm-size= | -m --memory= | --cpu-shares= | --cpuset-cpus= | --isolation=
    --cgroup-parent= | --attest= | --sbom=? | --provenance=? | --annotation= | --call= | --security-opt=
    --squash | --compress | --no-cache | --pull | --push | --load | --rm | --force-rm | -q --quiet
    -v --volume=mount! | --authfile=read | --creds= | --jobs= | --layers=?"""
_COMPOSE: Final = """subcommands | operands:text* | -f --file=read | -p --project-name=
    --project-directory=folder | --env-file=read | --profile= | --ansi= | --parallel= | --progress=
    -H --host=network! | -c --context= | --dry-run shows | --compatibility | --all-resources | -h --help"""
_IN_COMPOSE: Final[dict[str, str]] = {
    "up": """does:write | does:network | -d --detach | --build | --scale= | -t --timeout= | --exit-code-from=
        --attach= | --no-attach= | --pull= | --wait-timeout= | -V --renew-anon-volumes | --force-recreate
        --no-deps | --remove-orphans | --abort-on-container-exit | -w --watch | -y --yes | --wait""",
    "down": "does:delete | -v --volumes | --rmi= | -t --timeout= | --remove-orphans",
    "run": """operands:text command | options-first | --cap-add=! | --cap-drop= | --entrypoint=shell!
        -e --env=env | --env-from-file=read | -l --label= | --name= | -p --publish= | -u --user=
        -v --volume=mount! | -w --workdir= | --pull= | -d --detach | -T --no-TTY | -i --interactive | --rm
        --no-deps | --build | -P --service-ports | --use-aliases | --remove-orphans | -q""",
    "exec": """operands:text command | options-first | -e --env=env | --index= | -u --user= | -w --workdir=
        -d --detach | -T --no-TTY | -t | -i | --privileged!""",
    "rm=remove": "does:delete | -f --force | -s --stop | -v --volumes",
    "cp": "operands:read* write | -a --archive | -L --follow-link | --index= | --all",
    "build": """does:write | --build-arg= | --builder= | -m --memory= | --ssh=! | --no-cache | --pull | --push
        -q --quiet | --with-dependencies""",
    "pull,push": """does:network | --policy= | -q --quiet | --include-deps | --ignore-pull-failures
        --ignore-buildable""",
    "logs,ps,top,config,images,port,version,ls,events,stats": """-n --tail= | --since= | --until= | --format=
        --filter= | --status= | -o --output=write! | --hash= | -f --follow | -t --timestamps | -q --quiet
        -a --all | --services | --index= | --protocol=""",
    "stop,start,restart,kill,pause,unpause,create,wait,scale,watch,attach": "-t --timeout= | -s --signal=",
}
_IN_ENGINE: Final[dict[str, str]] = {
    "run": f"operands:text command | options-first | {_RUN}",
    "create": f"operands:text command | options-first | {_RUN}",
    "exec": f"operands:text command | options-first | {_EXEC}",
    "build": _BUILD,
    "rm=remove": """does:delete | -f --force | -v --volumes | -l --link | -a --all | -t --time= | -i --ignore
        --cidfile=read | --filter=""",
    "rmi": "does:delete | -f --force | --no-prune | -a --all | -i --ignore",
    "ps": """operands:none | -a --all | -q --quiet | -f --filter= | -n --last= | --format= | -s --size
        -l --latest | --no-trunc | --sort= | --pod""",
    "images": "-a --all | -q --quiet | -f --filter= | --format= | --digests | --no-trunc | --tree | --sort=",
    "pull": """operands:network* | does:network | -a --all-tags | -q --quiet | --platform=
        --disable-content-trust=? | --authfile=read | --creds= | --cert-dir=read | --tls-verify=? | --arch=
        --os= | --variant=""",
    "push": """operands:network* | does:network | -a --all-tags | -q --quiet | --platform=
        --disable-content-trust=? | --authfile=read | --creds= | --cert-dir=read | --digestfile=write!
        --tls-verify=? | --sign-by= | -f --format=""",
    "login,logout,search": """operands:network | does:network | -u --username= | -p --password=
        --password-stdin | --limit= | -f --filter= | --format= | --authfile=write | --cert-dir=read""",
    "logs": "-f --follow | -n --tail= | --since= | --until= | -t --timestamps | --details",
    "inspect": "-f --format= | --type= | -s --size",
    "cp": "operands:read write | -a --archive | -L --follow-link | -q --quiet",
    "save": "-o --output=write! | --platform= | --format= | -q | -m",
    "load": "operands:none | does:write | -i --input=read | -q --quiet | --platform=",
    "export": "operands:text | -o --output=write!",
    "import": "operands:read text | does:write | -c --change= | -m --message= | --platform=",
    "commit": """does:write | -a --author= | -c --change= | -m --message= | -p --pause | -f= | -s | -q
        --iidfile=write!""",
    (
        "start,stop,restart,kill,pause,unpause,wait,attach,rename,update,top,stats,port,diff,tag,"
        "events,info,version,history"
    ): """--checkpoint= | --checkpoint-dir=write | --blkio-weight= | --cpu-period= | --cpu-quota=
        --cpu-rt-period= | --cpu-rt-runtime= | --cpuset-cpus= | --cpuset-mems= | --memory-reservation=
        --memory-swap= | --pids-limit= | --platform= | -t --time --timeout= | -s --signal= | -f --filter=
        --format= | --since= | --until= | --detach-keys= | -m --memory= | -c --cpu-shares= | --cpus=
        --restart= | -a | -i | -q""",
    (
        "container,image,volume,network,system,builder,buildx,context,manifest,plugin,secret,service,"
        "stack,swarm,node,config,trust,checkpoint,scout,pod,machine,generate,play,kube,mount,"
        "healthcheck,desktop,model,mcp"
    ): "subcommands",
    "container run": f"operands:text command | options-first | {_RUN}",
    "container create": f"operands:text command | options-first | {_RUN}",
    "container exec": f"operands:text command | options-first | {_EXEC}",
    "container rm=remove,prune": "does:delete | -f --force | -v --volumes | -l --link | --filter=",
    "container cp": "operands:read write | -a --archive | -L --follow-link | -q --quiet",
    "image rm=remove,prune": "does:delete | -f --force | -a --all | --filter= | --no-prune",
    "image build": _BUILD,
    "image pull,push": "operands:network* | does:network | --platform= | -a --all-tags | -q --quiet",
    "image save": "-o --output=write! | --platform=",
    "volume rm=remove,prune": "does:delete | -f --force | -a --all | --filter= | -h --help",
    "volume create": "operands:text | -d --driver= | -o --opt=! | --label= | --name=",
    "network rm=remove,prune": "does:delete | -f --force | --filter=",
    "system prune,reset": "operands:none | does:delete | -a --all | -f --force | --volumes | --filter=",
    "builder prune": "operands:none | does:delete | -a --all | -f --force | --filter= | --keep-storage=",
    "buildx build=b": _BUILD,
    "buildx bake": """does:write | does:network | -f --file=read | --set=! | --progress=
        --metadata-file=write! | --allow=! | --builder= | --push | --load | --no-cache | --pull
        --print calms""",
    "stack deploy=up": """operands:text | does:network | -c --compose-file=read | --orchestrator=
        --resolve-image= | --prune | --with-registry-auth""",
    "stack rm=remove=down": "does:delete",
    "swarm leave,join,init": """operands:network | does:network | -f --force | --token= | --advertise-addr=
        --listen-addr= | --data-path-addr=""",
    "service rm=remove": "does:delete",
    "unshare": "operands:command | options-first | --rootless-netns",
    "machine ssh": "operands:text shell* | --username=",
    "kube play,down": """operands:read* | does:write | --configmap=read | --network= | --replace
        --authfile=read | --build""",
    "compose": _COMPOSE,
    **{f"compose {name}": spec for name, spec in _IN_COMPOSE.items()},
}
_KUBE: Final = """subcommands | does:network | operands:text* | -n --namespace= | --context= | --cluster=
    --user= | --kubeconfig=read! | -s --server=network! | --token= | --as= | --as-group= | --as-uid=
    --certificate-authority=read | --client-certificate=read | --client-key=read | --tls-server-name=
    --request-timeout= | --cache-dir= | --password= | --username= | -v --v= | --log-flush-frequency=
    --disable-compression=? | --vmodule= | --profile= | --profile-output=write!
    --insecure-skip-tls-verify=?! | --warnings-as-errors=? | --match-server-version=? | -l --selector=
    -o --output= | case:-o go-template-file= read | case:-o jsonpath-file= read
    case:-o custom-columns-file= read | -f --filename=read | -k --kustomize=read | -c --container=
    --field-selector= | --sort-by= | -L --label-columns= | --template= | --dry-run=? shows | --field-manager=
    --timeout= | --grace-period= | -R --recursive | -A --all-namespaces | -w --watch | --all | --force | --now
    --wait=? | --ignore-not-found=? | --cascade=? | -q --quiet | --overwrite | --show-labels | --no-headers
    --raw=! | --subresource= | --chunk-size= | -h --help"""
_KUBE_IN: Final[dict[str, str]] = {
    "exec": "operands:text command | -i --stdin | -t --tty | --pod-running-timeout=",
    "run": """operands:text command | --image= | --env=env | --labels= | --port= | --overrides=! | --restart=
        --image-pull-policy= | --annotations= | --override-type= | --pod-running-timeout= | --privileged!
        -i --stdin | -t --tty | --rm | --attach | --command | --expose""",
    "debug": """operands:text command | --image= | --target= | --copy-to= | --env=env | --profile=
        --custom=read! | --set-image= | --image-pull-policy= | -i --stdin | -t --tty | --share-processes
        --replace | --same-node | --attach""",
    "delete": "does:delete",
    "apply": """--prune-allowlist= | --openapi-patch=? | --prune | --server-side | --force-conflicts
        --validate=?""",
    "create": """subcommands | --from-file=read! | case:--from-file *= read! | --from-env-file=read!
        --from-literal= | --image= | --docker-server= | --docker-username= | --docker-password=
        --docker-email= | --cert=read | --key=read | --type= | --edit | --save-config | --validate=?
        --schedule= | --replicas= | -r --replicas-count= | --port= | --serviceaccount= | --role=
        --clusterrole= | --verb= | --resource= | --group= | --hard= | --class= | --rule= | --default-backend=
        --annotation=""",
    (
        "replace,patch,edit,label,annotate,scale,autoscale,expose,taint,cordon,uncordon,drain"
    ): """-p --patch= | --patch-file=read | --type= | --replicas= | --current-replicas= | --resource-version=
        --min= | --max= | --cpu-percent= | --port= | --target-port= | --name= | --protocol= | --external-ip=
        --load-balancer-ip= | --overrides=! | --pod-selector= | --skip-wait-for-delete-timeout=
        --delete-emptydir-data | --ignore-daemonsets | --disable-eviction""",
    "rollout": "subcommands | --revision= | --to-revision=",
    "set": """subcommands | -e --env=env | --from= | --keys= | --prefix= | --limits= | --requests=
        --serviceaccount= | --user= | --group=""",
    "cp": "operands:read write | --retries= | --no-preserve",
    "port-forward": "--address= | --pod-running-timeout=",
    "proxy": """operands:none | -p --port= | --address= | --accept-hosts= | --accept-paths=
        --reject-methods= | --reject-paths= | -u --unix-socket=write | -w --www=read! | -P --www-prefix=
        --api-prefix= | --keepalive=""",
    "logs": """-f --follow | --tail= | --since= | --since-time= | --limit-bytes= | --max-log-requests=
        -p --previous | --timestamps | --prefix | --all-containers | --all-pods | --pod-running-timeout=""",
    "config": "subcommands",
    (
        "config set-context,set-cluster,set-credentials,use-context,set,unset,delete-context,"
        "delete-cluster,delete-user,rename-context"
    ): """does:write | --exec-command=shell! | --exec-arg= | --exec-env=env | --exec-api-version=
        --auth-provider= | --auth-provider-arg= | --embed-certs=? | --proxy-url=network! | --current""",
    (
        "get,describe,explain,top,api-resources,api-versions,cluster-info,version,wait,events,diff"
    ): """--for= | --types= | --api-group= | --api-version= | --verbs= | --output-directory=write!
        --show-events=? | --containers | --for-condition=""",
    "auth": "subcommands",
    "plugin,kustomize,completion,certificate,attach": """--enable-helm | --helm-command=shell!
        --enable-alpha-plugins! | --load-restrictor=! | -e --env=env | --mount=mount! | -i --stdin
        -t --tty""",
}
_HELM: Final = """subcommands | does:network | operands:text* | -n --namespace= | --kube-context=
    --kubeconfig=read! | --kube-apiserver=network! | --kube-token= | --kube-as-user= | --kube-as-group=
    --kube-ca-file=read | --registry-config=read | --repository-cache= | --repository-config=read
    --burst-limit= | --qps= | --debug | -h --help"""
_HELM_VALUES: Final = """operands:text* | -f --values=read | --set= | --set-string= | --set-json=
    --set-literal= | --set-file=! | case:--set-file *= read! | --version= | --repo=network!
    --post-renderer=shell! | --post-renderer-args= | --timeout= | --description= | -o --output=
    --output-dir=write! | --history-max= | --username= | --password= | --ca-file=read | --cert-file=read
    --key-file=read | --keyring=read | -l --labels= | --dry-run=? shows | --atomic | --wait | -i --install
    --create-namespace | --dependency-update | --devel | --force | --reuse-values | --reset-values
    -g --generate-name | --name-template= | -a --api-versions= | --kube-version= | -s --show-only=
    --cleanup-on-fail"""

PROGRAMS: Final[dict[str, str]] = {
    "docker,podman,nerdctl": """subcommands | options-first | -H --host --url=network!
        -c --context --connection= | --config=read! | -l --log-level= | --tlscacert=read | --tlscert=read
        --tlskey=read | --root=write! | --runroot=write! | --runtime=! | --runtime-flag=! | --conmon=shell!
        --hooks-dir=script! | --identity=read | --storage-driver= | --storage-opt= | --tmpdir=write
        --cgroup-manager= | --events-backend= | --network-cmd-path=shell! | --namespace -n= | --address -a=
        -D --debug | -v --version | --tls | --tlsverify | -r --remote""",
    **{f"{engine} {name}": spec for engine in _ENGINES for name, spec in _IN_ENGINE.items()},
    "docker-compose,podman-compose": _COMPOSE,
    **{f"{program} {name}": spec for program in _COMPOSERS for name, spec in _IN_COMPOSE.items()},
    "kubectl=kubecolor=k,oc": _KUBE,
    **{f"{program} {name}": spec for program in ("kubectl", "oc") for name, spec in _KUBE_IN.items()},
    "oc rsh": "operands:text command | options-first | --shell=shell! | --no-tty | -t",
    "oc login": "operands:network | -u --username= | -p --password=",
    "helm": _HELM,
    "helm install,upgrade,template,lint": _HELM_VALUES,
    "helm uninstall=delete=un=del,rollback": """does:delete | --keep-history | --no-hooks | --wait
        --cascade= | --timeout= | --description= | --dry-run=? shows | --force | --cleanup-on-fail
        --recreate-pods | --history-max= | --wait-for-jobs""",
    "helm pull=fetch,push,show,package,dependency=dep": """does:write | -d --destination=write
        --untardir=write | --version= | --repo=network! | --untar | --prov | --verify | --keyring=read
        --sign | --key= | --username= | --password= | --app-version=""",
    (
        "helm repo,registry,plugin,search,env,history,list=ls,status,get,test,create,verify,completion"
    ): """subcommands | -o --output= | -a --all | -A --all-namespaces | --revision= | -l --selector=
        -f --filter= | --max= | --timeout= | --version= | --username= | --password=""",
    (
        "kustomize,skaffold,tilt,kind,minikube,k3d,k9s,stern,kubectx,kubens,flux,argocd,istioctl,"
        "linkerd,cilium,velero,eksctl,kops,kubeadm,devspace,telepresence,werf,helmfile,crictl,ctr,"
        "buildah,skopeo,lazydocker,dive,trivy,grype,syft,cosign,oras,crane"
    ): "subcommands | does:network | -h --help",
    "minikube ssh": "operands:shell* | interpreter | options-first | -n --node= | -p --profile=",
    "minikube kubectl": "operands:code*",
    "minikube cp": "operands:read write",
    "k3s,microk8s": "operands:command",
    "buildah unshare": "operands:command | options-first | --mount=mount!",
    "ctr task,run,tasks,containers,images": "subcommands | operands:code*",
    "buildah run": f"operands:text command | options-first | {_RUN}",
    "crictl exec": """operands:text command | options-first | -i --interactive | -t --tty | -s --sync
        --timeout=""",
    "skopeo copy,sync": """operands:network* | does:write | --src-creds= | --dest-creds= | --authfile=read
        --format= | -a --all""",
    "skopeo delete": "operands:network* | does:delete | --creds=",
    "runc,crun": "subcommands | --root=write",
    "runc exec": """operands:text command | options-first | -e --env=env | -u --user= | --cwd= | -t --tty
        -d --detach | -p --process=read""",
}
