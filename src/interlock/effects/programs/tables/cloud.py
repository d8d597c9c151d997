"""Clients of clouds, infrastructure and databases."""

from __future__ import annotations

from typing import Final

_TERRAFORM: Final = """-var= | -var-file=read | -state=write | -state-out=write! | -backup=write!
    -out=write! | -target= | -replace= | -parallelism= | -lock=? | -lock-timeout= | -input=? | -backend=?
    -backend-config= | -from-module=network! | -plugin-dir=script! | -lockfile= | -get=? | -upgrade
    -reconfigure | -migrate-state | -force-copy | -refresh=? | -refresh-only | -destroy | -auto-approve
    -compact-warnings | -no-color | -json | -detailed-exitcode | -generate-config-out=write! | -config=read
    -allow-missing | -force | -test-directory= | -filter="""
_STATES: Final = f"operands:text* | does:network | does:write | {_TERRAFORM}"
_AWS_S3: Final = """--exclude= | --include= | --acl= | --storage-class= | --sse=? | --sse-kms-key-id=
    --grants= | --content-type= | --cache-control= | --content-disposition= | --content-encoding= | --expires=
    --metadata= | --metadata-directive= | --source-region= | --page-size= | --website-redirect=
    --expected-size= | --request-payer=? | --recursive | --dryrun shows | --quiet | --delete! does:delete
    --force | --follow-symlinks | --no-follow-symlinks | --only-show-errors | --no-progress | --size-only
    --exact-timestamps"""
_PG: Final = """-h --host=network | -p --port= | -U --username= | -W --password | -w --no-password
    -d --dbname="""
_MYSQL: Final = """-h --host=network | -P --port= | -u --user= | -p --password=? | -S --socket=
    -D --database= | --defaults-file=read! | --defaults-extra-file=read! | --defaults-group-suffix=
    --login-path= | --protocol= | --ssl-ca=read | --ssl-cert=read | --ssl-key=read | --ssl-capath=read
    --ssl-mode= | --plugin-dir=script! | --default-auth= | --default-character-set=
    --character-sets-dir=read | --bind-address= | --max-allowed-packet= | --connect-timeout= | -C --compress
    -v --verbose | -f --force"""

PROGRAMS: Final[dict[str, str]] = {
    "aws": """subcommands:2 | does:network | --profile= | --region= | --endpoint-url=network! | --output=
        --query= | --color= | --ca-bundle=read | --cli-read-timeout= | --cli-connect-timeout=
        --cli-binary-format= | --cli-input-json=! | --cli-input-yaml=! | --body=read | --zip-file=
        case:--zip-file fileb:// read | case:--cli-input-json file:// read! | --user-data=
        case:--user-data file:// read | --generate-cli-skeleton=? | --no-verify-ssl! | --no-paginate
        --no-sign-request | --dry-run shows | --no-cli-pager | --debug | --page-size= | --max-items=
        --starting-token=""",
    "aws s3": "subcommands",
    "aws s3 cp": f"operands:read write | {_AWS_S3}",
    "aws s3 sync": f"operands:read write | {_AWS_S3}",
    "aws s3 mv": f"operands:move write | {_AWS_S3}",
    "aws s3 rm": f"does:delete | {_AWS_S3}",
    "aws s3 rb": "operands:text | does:delete | --force",
    "aws s3 ls,mb,presign,website": """--expires-in= | --recursive | --human-readable | --summarize
        --request-payer=? | --index-document= | --error-document=""",
    "aws configure": "subcommands | does:write",
    "aws ssm": """subcommands | --target= | --document-name= | --parameters=! | --name= | --value=
        --targets= | --instance-ids=""",
    "aws lambda": "subcommands | --function-name= | --payload= | --zip-file= | --invocation-type=",
    "aws lambda invoke": "operands:write",
    "gcloud,bq": """subcommands:3 | does:network | --project= | --account= | --configuration= | --format=
        --filter= | --flags-file=read! | --impersonate-service-account= | --billing-project=
        --access-token-file=read | --verbosity= | --zone= | --region= | --limit= | --sort-by= | --page-size=
        --quiet -q | --log-http | --async""",
    "gcloud compute": "subcommands:2",
    "gcloud compute ssh": """operands:network text* | interpreter | --=command | --command=shell!
        --ssh-flag=! | --ssh-key-file=read | --container= | --ssh-key-expiration= | --ssh-key-expire-after=
        --tunnel-through-iap | --internal-ip | --dry-run | --plain | --strict-host-key-checking=""",
    "gcloud compute scp": """operands:read* write | --scp-flag=! | --ssh-key-file=read | --port= | --recurse
        --compress""",
    "gcloud storage": "subcommands",
    "gcloud storage cp,rsync": """operands:read* write | -r --recursive | --cache-control= | --content-type=
        -n --no-clobber | --exclude= | --delete-unmatched-destination-objects! does:delete""",
    "gcloud storage mv": "operands:move* write | -r --recursive",
    "gcloud storage rm": "does:delete | -r -R --recursive | --continue-on-error | --stop-on-error",
    "gcloud auth,config,projects,services,version,info,components": "subcommands",
    (
        "gcloud auth print-access-token,print-identity-token,login,application-default,"
        "activate-service-account,revoke,list"
    ): "--key-file=read | --cred-file=read | --audiences=",
    "gsutil": "subcommands | does:network | options-first | -o=! | -h= | -u= | -m | -q | -D",
    "gsutil rsync": """operands:read* write | -r | -R | -n shows | -e | -d does:delete | -x= | -c | -p | -P
        -U | -u | -i | -C | -j= | -J""",
    "gsutil cp": """operands:read* write | -r | -R | -n | -e | -d does:delete | -x= | -z= | -a= | -L=write!
        -c | -p | -P | -U | -v | -I""",
    "gsutil mv": "operands:move* write",
    "gsutil rm,rb": "does:delete | -r | -R | -f | -a | -I",
    "az": """subcommands:3 | does:network | -g --resource-group= | -n --name= | --subscription= | -o --output=
        --query= | -l --location= | --ids= | --tags= | --debug | --verbose | --only-show-errors | -y --yes
        --no-wait | -h --help""",
    "az login,logout,account,configure,find,feedback,upgrade,version,rest,interactive": """subcommands
        -u --username= | -p --password= | -t --tenant= | --uri --url=network! | -m --method= | -b --body=
        --headers= | --service-principal | --identity | --use-device-code | -s --subscription=
        -d --defaults=""",
    "az vm": "subcommands",
    "az vm run-command": "subcommands",
    "az vm run-command invoke,create": "--command-id= | --scripts=code! | --parameters= | --script=code!",
    "az group": "subcommands",
    "az group delete": "operands:none | does:delete",
    "az storage": """subcommands:2 | --account-name= | --account-key= | --sas-token= | --connection-string=
        -c --container-name= | -f --file=read | -d --destination= | -s --source= | --auth-mode=
        --pattern=""",
    "terraform,tofu,terragrunt": """style:single | subcommands | -chdir=folder | -version | -help -h
        --terragrunt-config=read! | --terragrunt-working-dir=folder""",
    **{
        f"{program} {name}": spec
        for program in ("terraform", "tofu", "terragrunt")
        for name, spec in {
            "apply": _STATES,
            "destroy": f"{_STATES} | does:delete",
            (
                "plan,refresh,init,import,login,taint,untaint,get,validate,test,graph,show,output,providers,version,"
                "force-unlock,logout,metadata,run-all"
            ): _STATES,
            "fmt": "operands:write* | does:write | -check calms | -diff | -recursive | -list=? | -write=?",
            "console": f"{_STATES} | interpreter",
            "state": "subcommands | does:network",
            "state rm": f"{_STATES} | does:delete | -dry-run",
            "state mv,push,pull,list,show,replace-provider": _STATES,
            "workspace": "subcommands | does:network",
            "workspace delete": f"{_STATES} | does:delete",
            "workspace new,select,list,show": _STATES,
        }.items()
    },
    "pulumi": """subcommands | does:network | -C --cwd=folder | -s --stack= | --color= | --logtostderr
        -h --help | -v --verbose= | --tracing= | -e --emoji | --non-interactive | --profiling=write!""",
    "pulumi up=update,preview=pre,refresh,destroy=dn=down,watch,import": """does:write | -y --yes
        -f --skip-preview | -m --message= | -p --parallel= | -t --target= | -c --config= | --config-file=read
        -r --refresh=? | --diff | -d --debug | --plan=read | --save-plan=write! | --policy-pack=script!
        --policy-pack-config=read | --exec-kind= | --exec-agent= | --replace= | --exclude= | --on-event=
        --preview-only shows | -o --out=write! | -i --import-file=write! | --json | --show-secrets=?""",
    (
        "pulumi stack,config,state,policy,plugin,login,logout,new,org,env,package,schema,console,"
        "whoami,about,cancel,convert,logs"
    ): """subcommands | --secret | --plaintext | --path | -f --file=write! | --show-secrets=? | -y --yes
        -g --generate-only | -n --name= | -d --description= | --force | -l --local
        -c --cloud-url=network!""",
    "pulumi stack rm": "operands:text | does:delete | -f --force | --preserve-config",
    "pulumi env run": "operands:text command",
    "packer,vault,consul,nomad": """style:single | subcommands | does:network | -address=network! | -token=
        -namespace= | -ca-cert=read | -var= | -var-file=read | -force | -http-addr=network!""",
    "consul exec": "operands:shell*",
    "nomad alloc": "subcommands",
    "nomad alloc exec": "operands:text command | options-first | -task= | -job= | -i=? | -t=? | -e=",
    "consul lock": """operands:text command | options-first | -child-exit-code | -n= | -name= | -shell=?
        -timeout=""",
    "vault kv,auth,secrets,policy,token,lease,operator,audit,namespace,plugin,ssh": "subcommands",
    "heroku": "subcommands | does:network | -a --app= | -r --remote= | --json",
    "heroku run": """operands:shell* | options-first | -s --size= | --type= | -e --env= | -x --exit-code
        --no-tty | --no-notify""",
    "fly=flyctl": """subcommands | does:network | -a --app= | -c --config=read | -t --access-token=
        --verbose | --debug | -j --json | -h --help""",
    "fly ssh": "subcommands | -C --command=shell! | -u --user= | -r --region= | -s --select",
    "psql": f"""does:network | interpreter | {_PG} | -c --command=code | -f --file=script | -o --output=write!
        case:-o PIPE shell! | -L --log-file=write! | -v --set --variable= | -F --field-separator=
        -R --record-separator= | -P --pset= | -T --table-attr= | -X --no-psqlrc | -1 --single-transaction | -a
        -A | -b | -e | -E | -H | -l | -n | -q | -s | -S | -t | -V | -x | -z | -0""",
    "pg_dump,pg_dumpall": f"""operands:text | does:network | {_PG} | -f --file=write! | -F --format=
        -j --jobs= | -n --schema= | -N --exclude-schema= | -t --table= | -T --exclude-table= | -e --extension=
        -E --encoding= | -S --superuser= | -Z --compress= | --exclude-table-data= | --section= | --role=
        --lock-wait-timeout= | --snapshot= | --rows-per-insert= | --filter=read | -l --database=
        -a --data-only | -s --schema-only | -c --clean | -C --create | -O --no-owner | -x --no-privileges
        -b --blobs | -v | --if-exists | -g | -r""",
    "pg_restore": f"""operands:read | does:network | {_PG} | -f --file=write! | -F --format= | -j --jobs=
        -I --index= | -L --use-list=read | -n --schema= | -N --exclude-schema= | -P --function=
        -S --superuser= | -t --table= | -T --trigger= | --role= | --section= | -l --list | -c --clean
        -C --create | -a | -s | -e | -1 | -O | -x | -v""",
    (
        "createdb,createuser,vacuumdb,reindexdb,clusterdb,pg_isready,pgbench,pg_basebackup"
    ): f"""does:network | does:write | {_PG} | -D --pgdata=write | -f --file=script! | -t= | -c= | -T= | -j=
        -O --owner= | -T --template= | -E --encoding=""",
    "dropdb,dropuser": f"""does:network | does:delete | {_PG} | -f --force | -i --interactive | -e --echo
        --if-exists | --maintenance-db=""",
    "pg_ctl,pg_ctlcluster,initdb,postgres,mysqld,mongod,redis-server": """does:write | -D --pgdata=write
        -l --log=write! | -o --options=! | -c= | -p=shell! | --config --config-file=read | --dbpath=write
        --port= | -m --mode= | -t --timeout= | -w | -W | -s""",
    "mysql=mariadb,mycli,pgcli,litecli": f"""does:network | interpreter | {_MYSQL} | -e --execute=code
        --init-command=code! | --tee=write! | --pager=?shell! | --prompt= | --delimiter= | -A --no-auto-rehash
        -B --batch | -N --skip-column-names | -s --silent | -t --table | -H --html | -X --xml | -r --raw
        -E --vertical | -n | -q | -o | -i | -U --safe-updates | -w | -b""",
    "mysqldump=mariadb-dump": f"""does:network | {_MYSQL} | -r --result-file=write! | -T --tab=write!
        -w --where= | --ignore-table= | --log-error=write! | --fields-terminated-by= | -A --all-databases
        -B --databases | -d --no-data | -t --no-create-info | -q --quick | -R --routines | -n --no-create-db
        --single-transaction | --add-drop-table | -F | -x | -l | -e""",
    "mysqladmin,mysqlimport,mysqlcheck,mysqlshow,mariadb-admin": f"""does:network | does:write | {_MYSQL}
        -i --sleep= | -c --count= | -w --wait=?""",
    "mongosh=mongo": """operands:network script* | does:network | interpreter | --eval=code | -f --file=script
        -u --username= | -p --password=? | --host=network | --port= | --authenticationDatabase=
        --authenticationMechanism= | --tlsCAFile=read | --tlsCertificateKeyFile=read
        --tlsCertificateKeyFilePassword= | --json=? | --apiVersion= | --shell | --quiet | --norc | --nodb
        --tls""",
    "mongodump,mongorestore,mongoexport,mongoimport": """does:network | -o --out=write! | --dir=read
        --archive=?write! | --uri=network | -h --host=network | --port= | -u --username= | -p --password=
        -d --db= | -c --collection= | -q --query= | --queryFile=read | -f --fields= | --fieldFile=read
        --file=read | --type= | --config=read! | --authenticationDatabase= | --nsInclude= | --nsExclude=
        --drop | --gzip | -j= | --jsonArray | --sort= | --limit= | --skip= | --mode=
        --numInsertionWorkers=""",
    "redis-cli=valkey-cli=keydb-cli": """options-first | does:network | interpreter | -h=network | -p= | -s=
        -a --pass= | --user= | -u=network | -r= | -i= | -n= | -d= | -D= | -X= | --eval=script! | --cacert=read
        --cacertdir=read | --cert=read | --key=read | --sni= | --rdb=write! | --functions-rdb=write!
        --pattern= | --quoted-pattern= | --cluster= | --lru-test= | --intrinsic-latency= | --memkeys-samples=
        --count= | --cluster-args= | --show-pushes= | -t= | -c | -x | -2 | -3 | -e | --pipe | --raw | --no-raw
        --csv | --json | --stat | --scan | --bigkeys | --tls | --insecure | --askpass | --ldb! | --verbose
        --no-auth-warning""",
    "duckdb": """style:single | operands:write code* | interpreter | -c=code | -s=code | -f=script!
        -cmd=code | -init=script! | -readonly>read | -separator= | -newline= | -nullvalue= | -csv | -json
        -markdown | -batch | -bail | -unsigned!""",
    "sqlcmd": """operands:none | does:network | interpreter | -S=network | -U= | -P= | -d= | -Q=code | -q=code
        -i=script! | -o=write! | -v= | -s= | -w= | -h= | -t= | -l= | -E | -C | -b | -N=?""",
    (
        "sqlplus,isql,bcp,db2,clickhouse-client,clickhouse,cqlsh,influx,neo4j-admin,cypher-shell,"
        "snowsql,trino,presto,beeline,hive,impala-shell,cockroach,rethinkdb,couchdb,arangosh"
    ): """does:network | interpreter | -e --execute=code | -q --query=code | -f --file=script!
        -h --host=network | -u --user= | -p --password= | -P --port= | -d --database= | -o --output=write!""",
    "etcdctl": """subcommands | does:network | --endpoints=network! | --cacert=read | --cert=read | --key=read
        --user= | --password= | -w --write-out= | --prefix | --from-key | --discovery-srv=network!""",
    "etcdctl del": "does:delete",
    "etcdctl lock,elect": "operands:text command",
    "etcdctl watch": "operands:text command",
    (
        "prisma,drizzle-kit,knex,sequelize,typeorm,alembic,flyway,liquibase,dbmate,goose,atlas,sqlx,"
        "diesel,migrate,hasura"
    ): "subcommands | does:network",
    "alembic upgrade,downgrade,stamp": "--sql shows | --tag= | -x=",
    "sqlfluff,pgformatter,pg_format": "operands:write*",
}
