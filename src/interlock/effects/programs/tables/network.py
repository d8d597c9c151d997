"""Programs that talk to other machines."""

from __future__ import annotations

from typing import Final

_SSH_CASES: Final = """case:-o proxycommand shell! | case:-o localcommand shell!
    case:-o remotecommand shell! | case:-o knownhostscommand shell! | case:-o permitlocalcommand text!
    case:-o proxyjump network! | case:-o pkcs11provider script! | case:-o securitykeyprovider script!
    case:-o xauthlocation script! | case:-o match code! | case:-o include script! | case:-o setenv env!
    case:-o sendenv env! | case:-o identityagent text! | case:-o localforward network!
    case:-o remoteforward network! | case:-o dynamicforward network! | case:-o controlpath write!
    case:-o userknownhostsfile write | case:-o identityfile read"""
_SSH_SHARED: Final = f"-o= | {_SSH_CASES} | -i=read | -F=read! | -J=network | -c= | -4 | -6 | -C | -q | -v"

PROGRAMS: Final[dict[str, str]] = {
    "curl": """operands:network* | does:network | -o --output=write! | -O --remote-name! does:write
        --remote-name-all! does:write | -J --remote-header-name | --output-dir=write! | --create-dirs
        -T --upload-file=read! | -K --config=read! | -d --data --data-ascii= | --data-binary= | --data-raw=
        --data-urlencode= | --json= | -F --form= | --form-string= | -H --header= | --proxy-header=
        -w --write-out= | --url=network | --url-query= | -X --request= | -u --user= | -A --user-agent=
        -e --referer= | -b --cookie= | -c --cookie-jar=write! | -D --dump-header=write! | --trace=write!
        --trace-ascii=write! | --stderr=write! | --libcurl=write! | --hsts=write! | --alt-svc=write!
        --etag-save=write! | --etag-compare=read | -x --proxy --preproxy=network | --socks4=network
        --socks4a=network | --socks5=network | --socks5-hostname=network | -U --proxy-user= | -E --cert=read
        --key=read | --cacert=read | --capath=read | --crlfile=read | --pass= | --cert-type= | --key-type=
        --ciphers= | --tls13-ciphers= | --tls-max= | --curves= | --pinnedpubkey= | --engine=!
        --netrc-file=read | -n --netrc | --netrc-optional | --resolve= | --connect-to= | --interface=
        --dns-servers= | --doh-url=network | --local-port= | --unix-socket=write | --abstract-unix-socket=
        -m --max-time= | --connect-timeout= | --retry= | --retry-delay= | --retry-max-time= | --limit-rate=
        --max-filesize= | --max-redirs= | -r --range= | -C --continue-at= | -z --time-cond= | -y --speed-time=
        -Y --speed-limit= | --keepalive-time= | --expect100-timeout= | --happy-eyeballs-timeout-ms=
        --parallel-max= | --rate= | --noproxy= | --proto= | --proto-default= | --proto-redir=
        --oauth2-bearer= | --aws-sigv4= | --delegation= | --krb= | --login-options= | --mail-from=
        --mail-rcpt= | --mail-auth= | -Q --quote=! | -P --ftp-port= | --ftp-method= | --ftp-account=
        --ftp-alternative-to-user= | --ftp-ssl-ccc-mode= | -t --telnet-option= | --tftp-blksize=
        --request-target= | --sasl-authzid= | --service-name= | --proxy-service-name= | --hostpubmd5=
        --hostpubsha256= | --pubkey=read | --proxy-cacert=read | --proxy-capath=read | --proxy-cert=read
        --proxy-key=read | --proxy-pass= | --proxy-user= | --create-file-mode= | --variable= | --tlsauthtype=
        --tlsuser= | --tlspassword= | --random-file=read | --egd-file=read | -h --help=? | --proxy1.0=network
        --dns-interface= | --dns-ipv4-addr= | --dns-ipv6-addr= | --ipfs-gateway=network | --haproxy-clientip=
        --trace-config= | --ssl-sessions=write! | -s --silent | -S --show-error | -L --location
        --location-trusted | -f --fail | --fail-with-body | -k --insecure | -v --verbose
        -i --include --show-headers | -I --head | -G --get | -g --globoff | -N --no-buffer | -q --disable
        -R --remote-time | -a --append | -B --use-ascii | -j | -l | -M | -p --proxytunnel | -V --version
        -Z --parallel | -# --progress-bar | -0 | -1 | -2 | -3 | -4 --ipv4 | -6 --ipv6 | --compressed
        --http1.1 | --http2 | --http3 | --remove-on-error | --no-clobber | --no-progress-meter | --next -:
        case:-d @ read! | case:--data-binary @ read! | case:--json @ read! | case:--data-urlencode *@ read!
        case:-F *=@ read! | case:-F *=< read! | case:-H @ read! | case:-w @ read!""",
    "wget": """operands:network* | does:network | does:write | -O --output-document=write
        -o --output-file=write! | -a --append-output=write! | -P --directory-prefix=write
        -i --input-file=read | -e --execute=code! | --config=read! | --use-askpass=shell! | --post-file=read!
        --body-file=read! | --post-data= | --body-data= | --method= | --header= | -U --user-agent=
        --referer= | --user= | --password= | --http-user= | --http-password= | --ftp-user= | --ftp-password=
        --proxy-user= | --proxy-password= | --load-cookies=read | --save-cookies=write! | --certificate=read
        --private-key=read | --ca-certificate=read | --ca-directory=read | --crl-file=read
        --certificate-type= | --private-key-type= | --pinnedpubkey= | --random-file=read | --egd-file=read
        -t --tries= | -T --timeout= | --dns-timeout= | --connect-timeout= | --read-timeout= | -w --wait=
        --waitretry= | -Q --quota= | --limit-rate= | --bind-address= | --start-pos= | -B --base= | -l --level=
        -A --accept= | -R --reject= | --accept-regex= | --reject-regex= | --regex-type= | -D --domains=
        --exclude-domains= | -I --include-directories= | -X --exclude-directories= | --follow-tags=
        --ignore-tags= | --cut-dirs= | --default-page= | --local-encoding= | --remote-encoding=
        --restrict-file-names= | --secure-protocol= | --ciphers= | --warc-file=write! | --warc-header=
        --warc-max-size= | --warc-dedup=read | --warc-tempdir=write | --hsts-file=write! | --progress=
        --report-speed= | --rejected-log=write! | --max-redirect= | --preferred-location= | --prefer-family=
        --compression= | --dns-servers= | --retry-on-http-error= | --backups=? | -q --quiet | -v --verbose
        -nv --no-verbose | -c --continue | -r --recursive | -N --timestamping | -nc --no-clobber
        -nd --no-directories | -np --no-parent | -nH --no-host-directories | -k --convert-links
        -p --page-requisites | -m --mirror | -b --background | -S --server-response | --spider | -E | -K | -H
        -L | -x | -F | -4 | -6 | -d | --delete-after | --content-disposition""",
    "wget2,aria2c,axel": """operands:network* | does:network | does:write
        -O --output-document -o --out --output=write | -d -P --dir=write | -i --input-file=read | -x= | -s=
        -j= | --conf-path=read! | --on-download-complete=shell! | --on-download-start=shell!
        --on-download-error=shell! | --on-bt-download-complete=shell! | -n --num-connections=
        -l --log=write!""",
    "http,https,xh,xhs,httpie": """operands:text network text* | does:network | -o --output=write!
        -d --download! does:write | -a --auth= | -A --auth-type= | -p --print= | -s --style=
        --session=write! | --proxy=network | --verify= | --cert=read | --cert-key=read | --timeout=
        --pretty= | --raw= | --boundary= | -f --form | -j --json | -v | -h | -b""",
    "ncat": """operands:network text* | does:network | -e --exec=shell! | -c --sh-exec=shell!
        --lua-exec=script! | -o --output=write! | -x --hex-dump=write! | -p --source-port= | -s --source=
        -w --wait= | -i --idle-timeout= | -q= | -I= | -O= | -T= | -V= | -X= | -M= | -m= | -P= | -g= | -G=
        -W= | --proxy=network | --proxy-type= | --proxy-auth= | --proxy-dns= | -d --delay= | --allow=
        --allowfile=read | --deny= | --denyfile=read | --max-conns= | --ssl-cert=read | --ssl-key=read
        --ssl-trustfile=read | --ssl-ciphers= | --ssl-servername= | -l --listen | -k --keep-open | -n
        -u --udp | -v --verbose | -z | -4 | -6 | -U --unixsock | -C | -D | -N | -r | -S | -t | -b | -h | -F
        -Z=read""",
    "nc,netcat,nc.openbsd,nc.traditional": """operands:network text* | does:network | -e=shell! | -c=shell!
        -x=network | -o=write! | -p= | -s= | -w= | -i= | -q= | -I= | -O= | -T= | -V= | -X= | -M= | -m= | -P=
        -g= | -G= | -W= | -Z=write! | -l | -k | -n | -u | -v | -z | -4 | -6 | -U | -C | -D | -N | -r | -S | -t
        -b | -h | -F | -d""",
    "socat": """operands:code* | does:network | -b= | -L=write | -W=write | -lf=write! | -T= | -t= | -d | -v
        -x | -u | -U | -g | -s | -ly=? | -lm=? | -lp= | -r=write! | -R=write!""",
    "ssh": f"""operands:network shell* | interpreter | does:network | {_SSH_SHARED} | -l= | -p= | -L=! | -R=!
        -D=! | -w=! | -W=network! | -b= | -B= | -e= | -E=write! | -I=script! | -m= | -O= | -P= | -Q=
        -S=write! | -A | -a | -f | -G | -g | -K | -k | -M | -N | -n | -s | -T | -t | -V | -X | -x | -Y
        -y""",
    "rsh,remsh": f"""operands:network shell* | interpreter | does:network | {_SSH_SHARED} | -l= | -p= | -n
        -d""",
    "pssh,parallel-ssh,clush,pdsh,dsh,mussh,sshmulti": """operands:shell* | options-first | does:network
        -h --hosts=read | -H --host= | -w= | -x= | -g= | -l --user= | -p --par= | -o --outdir=write!
        -e --errdir=write! | -t --timeout= | -O --options=! | -R= | -f= | -m --machine= | -u= | -M -i | -a
        -c | -b | -B | -L | -N | -S | -q | -v | -A | -P | -I | -X=""",
    "slogin,mosh,autossh,et": f"""operands:network shell* | interpreter | does:network | {_SSH_SHARED} | -l=
        -p= | -L=! | -R=! | -D=! | -M= | --ssh=shell! | --server=shell! | --client=shell!""",
    "scp": f"""operands:read* write | does:network | {_SSH_SHARED} | -S=shell! | -D=shell! | -P= | -l= | -X=
        -3 | -A | -B | -O | -p | -r | -R | -T | -s""",
    "sftp": f"""operands:network write | does:network | interpreter | {_SSH_SHARED} | -S=shell! | -D=shell!
        -s=! | -b=script! | -B= | -P= | -R= | -l= | -X= | -A | -a | -f | -N | -p | -r""",
    "ssh-copy-id": "operands:network* | does:network | -i=read | -p= | -o= | -F=read! | -f | -n | -s",
    "ssh-keygen": """does:write | -f=edit | -t= | -b= | -C= | -N= | -P= | -a= | -D=script! | -e | -i | -y | -l
        -p | -R= | -F= | -r= | -s=read | -I= | -n= | -V= | -z= | -O= | -m= | -Y= | -E= | -G=write | -T=write
        -M= | -S= | -W= | -w=script! | -k | -K | -q | -v | -H | -L | -Q | -u | -U | -h | -A | -B | -c""",
    "ssh-keyscan": """operands:network* | does:network | -f=read | -p= | -t= | -T= | -O= | -4 | -6 | -c | -D
        -H | -v | -q""",
    "ssh-add": """operands:read* | -E= | -e=script! | -s=script! | -S=script! | -t= | -h= | -H=read | -T=read
        -d | -D | -L | -l | -k | -K | -q | -v | -x | -X | -c | -C""",
    "rsync": """operands:read* write | -e --rsh=shell! | --rsync-path=shell! | --delete! does:delete
        --delete-before! does:delete | --delete-during --del! does:delete | --delete-delay! does:delete
        --delete-after! does:delete | --delete-excluded! does:delete | --remove-source-files! does:delete
        --force | --files-from=read | --exclude-from=read | --include-from=read | --exclude= | --include=
        -f --filter= | -T --temp-dir=write | --partial-dir=write | --backup-dir=write! | --suffix=
        --log-file=write! | --log-file-format= | --out-format= | --password-file=read | --early-input=read
        --write-batch=write! | --only-write-batch=write! | --read-batch=read | --compare-dest=read
        --copy-dest=read | --link-dest=read | --chmod= | --chown= | --usermap= | --groupmap= | --max-size=
        --min-size= | --max-delete= | --max-alloc= | --bwlimit= | --timeout= | --contimeout=
        -B --block-size= | --port= | --address= | --sockopts= | --protocol= | --iconv= | --checksum-seed=
        --checksum-choice --cc= | --compress-choice --zc= | --compress-level --zl= | --skip-compress=
        --modify-window -@= | --info= | --debug= | --outbuf= | --remote-option -M=! | --stop-after=
        --stop-at= | --copy-as= | --daemon! | --config=read! | --dparam= | -a --archive | -v --verbose
        -z --compress | -r --recursive | -n --dry-run shows | -h --human-readable | -P | --progress
        --partial | -u --update | -c --checksum | -l --links | -L --copy-links | -p --perms | -o --owner
        -g --group | -t --times | -D | -H --hard-links | -A --acls | -X --xattrs | -S --sparse
        -W --whole-file | -x | -q | -R --relative | -b --backup | -C | -I | -O | -i | -0 | -s | -4 | -6 | -k
        -K | -m | -d | -E | -N | -U | -y | -J""",
    "ftp,lftp,tftp,ncftp,ncftpget,ncftpput": """operands:network* | does:network | interpreter | -c=code!
        -e=code! | -f=script! | -u= | -p= | -o=write! | -N=read | -i | -n | -v | -g | -A | -d""",
    "telnet": """operands:network text | does:network | -l= | -b= | -e= | -n=write! | -X= | -8 | -E | -K | -L
        -a | -d | -r""",
    "dig,drill,delv,kdig,dog,doggo": """operands:network* | does:network | -f=read | -p= | -q= | -t= | -c=
        -b= | -k=read | -y= | -x= | -4 | -6 | -v | -i | -m | +=?""",
    "host": """operands:network* | does:network | -t= | -c= | -N= | -R= | -W= | -m= | -p= | -4 | -6 | -a | -C
        -d | -i | -l | -r | -s | -T | -U | -v | -V | -w""",
    "nslookup": "style:single | operands:network* | does:network | interpreter",
    "ping,ping6,arping,fping,hping3": """operands:network* | does:network | -c --count= | -i --interval=
        -I --interface= | -s= | -t --ttl= | -w= | -W --timeout= | -p= | -l= | -m --max-hops= | -M= | -Q= | -S=
        -T=? | -F= | -N= | -e= | -f=? | -n | -q | -4 | -6 | -a | -A | -b | -B | -D | -d | -L | -O | -R | -r
        -U | -v""",
    "traceroute,tracepath,mtr": """operands:network text* | does:network | -m --max-hops= | -p --port=
        -i --interface= | -q --queries= | -w --wait= | -s --source= | -f --first= | -c --report-cycles= | -N=
        -z= | -g= | -t= | -l= | -o= | -F --filename=read | -n | -4 | -6 | -I | -T | -U | -r | -b | -u""",
    (
        "finger,masscan,zmap,nikto,sqlmap,hydra,gobuster,ffuf,wrk,ab,siege,hey,vegeta,bombardier,k6,"
        "grpcurl,websocat,wscat,speedtest,snmpwalk,snmpget,rpcinfo,showmount,"
        "wakeonlan,browsh,gallery-dl,croc,magic-wormhole,wormhole,ngrok,cloudflared,localtunnel,lt,"
        "bore,tailscale,wg,wg-quick,openvpn"
    ): "operands:network* | does:network",
    "smbclient,rpcclient": """operands:network text* | does:network | interpreter | -c --command=code!
        -U --user= | -A --authentication-file=read | -W --workgroup= | -s --configfile=read! | -T=!
        -D --directory= | -p= | -N | -L --list= | -I= | -l=write! | -k""",
    "ldapsearch,ldapmodify,ldapadd,ldapdelete": """does:network | -y=read | -f=read | -H=network | -h=network
        -D= | -w= | -b= | -p= | -s= | -T=write! | -x | -W | -Z | -v | -L | -n""",
    "whois": """operands:network* | does:network | -h --host=network | -p --port= | -i= | -s= | -T= | -t=
        -v= | -q= | -g=""",
    "nmap": """operands:network* | does:network | -p= | -oN=write! | -oX=write! | -oG=write! | -oA=write!
        -oS=write! | -iL=read | -e= | -D= | -S= | -g= | --script=script! | --script-args=
        --script-args-file=read | --datadir=read! | --stylesheet= | --exclude= | --excludefile=read
        --top-ports= | --min-rate= | --max-rate= | --host-timeout= | --max-retries= | -T=? | -s=? | -P=?
        -i=? | -o=?! | -A | -F | -O | -v | -n | -6""",
    "lynx,w3m,links,elinks": """style:single | operands:network* | does:network | -cfg=read!
        -cmd_script=script! | -editor=shell! | -dump | -source | -width= | -useragent= | -auth= | -o= | -T=
        -cols= | -config=read!""",
    "yt-dlp,youtube-dl": """operands:network* | does:network | does:write | -o --output=write
        -P --paths=write | -f --format= | --exec=shell! | --exec-before-download=shell! | --netrc-cmd=shell!
        --downloader --external-downloader=shell! | --downloader-args= | --ffmpeg-location=shell!
        --config-locations --config-location=read! | -a --batch-file=read | --cookies=write!
        --cookies-from-browser=! | -x --extract-audio | --audio-format= | -u --username= | -p --password=
        --download-archive=write! | --cache-dir=write | --plugin-dirs=script! | --print-to-file=,write! | -S=
        -r= | -R= | -I= | --proxy=network""",
    "rclone": """subcommands | does:network | --config=read! | --password-command=shell! | --log-file=write!
        --bwlimit= | --transfers= | --include= | --exclude= | --filter= | --filter-from=read
        --files-from=read | -P --progress | -v | -n --dry-run shows | -i""",
    "rclone copy,sync,move,copyto,moveto,bisync": "operands:read* write | does:delete",
    "rclone delete,purge,deletefile,rmdir,rmdirs,cleanup": "operands:delete*",
    "iperf3,iperf": """operands:none | does:network | -c --client=network | -p --port= | -t --time=
        -B --bind= | -s --server | -P= | -b= | -i= | -F --file=read | --logfile=write! | -R | -u | -J""",
    "openssl": "style:single | subcommands",
    "openssl enc": """operands:none | decodes | -d | -e | -in=read | -out=write! | -k= | -K= | -kfile=read
        -pass= | -iv= | -S= | -md= | -iter= | -bufsize= | -engine=! | -provider=! | -provider-path=read!
        -a -base64 | -A | -salt | -nosalt | -pbkdf2""",
    "openssl s_client": """operands:network | does:network | -connect=network | -host=network | -port=
        -servername= | -CAfile=read | -CApath=read | -cert=read | -key=read | -proxy=network | -starttls=
        -keylogfile=write! | -sess_out=write! | -sess_in=read | -msgfile=write! | -engine=! | -alpn=
        -ciphers= | -cipher= | -pass= | -verify= | -bind= | -tls1_2 | -tls1_3 | -showcerts | -quiet
        -brief""",
    "openssl s_server": """operands:none | does:network | -accept= | -port= | -cert=read | -key=read | -www
        -WWW | -HTTP | -engine=! | -keylogfile=write!""",
    "openssl dgst,sha256,sha1,sha512,md5": """operands:read* | -out=write! | -sign=read | -verify=read
        -signature=read | -hmac= | -mac= | -macopt= | -engine=! | -engine_impl | -passin= | -sigopt=
        -keyform= | -rand=read | -writerand=write! | -hex | -binary | -r | -c""",
    "openssl base64": "operands:none | decodes | -d | -e | -in=read | -out=write! | -A",
    "openssl rand": """operands:text | -out=write! | -rand=read | -writerand=write! | -engine=! | -hex
        -base64""",
    (
        "openssl genrsa,genpkey,req,x509,rsa,ec,pkey,pkcs12,pkcs8,ca,crl,verify,ecparam,dhparam,"
        "asn1parse,cms,smime,rsautl,pkeyutl,ts,ocsp,passwd,ciphers,speed,version"
    ): """decodes | -in=read | -out=write! | -inkey=read | -key=read | -keyout=write! | -config=read!
        -engine=! | -provider=! | -provider-path=read! | -CA=read | -CAkey=read | -CAfile=read | -CApath=read
        -cert=read | -certfile=read | -signkey=read | -extfile=read | -outform= | -inform= | -passin=
        -passout= | -pass= | -days= | -subj= | -newkey= | -algorithm= | -pkeyopt= | -name= | -addext=
        -extensions= | -reqexts= | -set_serial= | -CAserial=write! | -CAcreateserial! does:write | -nameopt=
        -certopt= | -checkend= | -checkhost= | -ext= | -salt= | -writerand=write! | -rand=read""",
    "gpg=gpg2": """operands:read* | decodes | -o --output=write! | -d --decrypt | -e --encrypt | -s --sign
        -c --symmetric | -b --detach-sign | --clear-sign --clearsign | --verify | -r --recipient=
        -u --local-user= | --homedir=write | --options=read! | --keyring=read | --secret-keyring=read
        --primary-keyring=read | --trustdb-name=read | --keyserver=network
        --recv-keys --receive-keys>text does:network | --send-keys>text does:network
        --search-keys>text does:network | --refresh-keys>text does:network | --fetch-keys>network
        --locate-keys>text does:network | --import | --export>text | --tofu-policy=,text | --auto-key-locate=
        --export-secret-keys>text | --export-secret-subkeys>text | --delete-keys>text
        --delete-secret-keys>text | --delete-secret-and-public-key>text
        -k --list-keys --list-public-keys>text | -K --list-secret-keys>text | --fingerprint>text
        --edit-key>text | --gen-key --generate-key --full-generate-key --quick-generate-key>text does:write
        --passphrase= | --passphrase-fd= | --passphrase-file=read | --pinentry-mode= | --photo-viewer=shell!
        --agent-program=shell! | --dirmngr-program=shell! | --exec-path=read! | --command-fd=
        --command-file=read | --status-fd= | --status-file=write! | --logger-fd=
        --log-file --logger-file=write! | --attribute-fd= | --attribute-file=write! | --cipher-algo=
        --digest-algo= | --compress-algo= | -z= | --trust-model= | --key-origin= | --set-filename=
        --default-key= | --encrypt-to= | --hidden-recipient -R= | -f --recipient-file=read | -F=read | -N=
        --cert-notation= | --set-notation= | --list-options= | --verify-options= | --import-options=
        --export-options= | --keyserver-options= | --display-charset= | --weak-digest= | --debug-level=
        --group= | --s2k-mode= | --s2k-count= | --s2k-cipher-algo= | --s2k-digest-algo= | --compress-level=
        --bzip2-compress-level= | -a --armor | --batch | --yes | -q --quiet | -v --verbose | -n --dry-run
        -t --textmode | -i --interactive | -m | -h""",
    "age,rage": """operands:read | decodes | -d --decrypt | -e --encrypt | -o --output=write!
        -r --recipient= | -R --recipients-file=read | -i --identity=read | -p --passphrase | -a --armor
        -j=shell!""",
    "sops": """operands:write | subcommands | -d --decrypt>read | -e --encrypt | -i --in-place!
        --output=write! | --age= | --pgp= | --kms= | --config=read! | --extract= | --set= | --input-type=
        --output-type=""",
    "sops exec-env,exec-file": "operands:read shell",
    "mail,mailx,mutt,sendmail,msmtp,swaks": """does:network | -s= | -a=read | -A=read | -c= | -b= | -r= | -S=!
        -f=read | -F=read! | -H= | -e=code! | -q= | -u= | -X=write! | -C=read! | -t""",
    "ip": """subcommands | -b -batch=script! | -n -netns= | -f -family= | -o | -s | -d | -j | -p | -4 | -6
        -br -brief | -c -color | style:single""",
    "ip netns": "subcommands",
    "ip netns exec": "operands:text command | style:none",
    "ip vrf": "subcommands",
    "ip vrf exec": "operands:text command | style:none",
    (
        "ifconfig,route,arp,iwconfig,ethtool,brctl,tc,iw,nmcli,networksetup,scutil,resolvectl,"
        "networkctl,hostnamectl,iptables,ip6tables,nft,ufw,firewall-cmd,pfctl,ipset,ss,netstat"
    ): "operands:text*",
    "iptables-restore,ip6tables-restore": "operands:read | does:write",
    "tcpdump,tshark,dumpcap,ngrep": """-w=write! | -r=read | -F=read | -z=shell! | -i= | -c= | -C= | -G= | -W=
        -s= | -y= | -Y= | -f= | -T= | -e= | -Z= | -M= | -E= | -m= | -j= | -B= | -V=read | -X=! | -O= | -d=
        -o=""",
    (
        "twine,vercel,render,surge,wrangler,supabase,sentry-cli,stripe,"
        "twilio,shopify,eas,expo,fastlane,cap,serverless,sls,sam,amplify,ansible-galaxy,vagrant,"
        "linode-cli,hcloud,ibmcloud,oci,aliyun,s3cmd"
    ): "subcommands | does:network | -h --help",
    "wrangler d1": "subcommands",
    "wrangler d1 execute": """interpreter | --command=code | --file=script | --env= | -c --config=read
        --local | --remote | --preview | --json | -y --yes""",
    "twine upload": """operands:read* | -r --repository= | --repository-url=network! | -u --username=
        -p --password= | --config-file=read! | --cert=read | --client-cert=read | -s --sign
        --sign-with=shell! | -i --identity= | -c --comment=""",
}
