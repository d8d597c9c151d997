"""Clients of databases."""

from __future__ import annotations

from typing import Final

_PG: Final = """-h --host=network | -p --port= | -U --username= | -W --password | -w --no-password
        -d --dbname="""
_MYSQL: Final = """-h --host=network | -P --port= | -u --user= | -p --password=? | -S --socket=
        -D --database= | --defaults-file=read! | --defaults-extra-file=read! | --defaults-group-suffix=
        --login-path= | --protocol= | --ssl-ca=read | --ssl-cert=read | --ssl-key=read
        --ssl-capath=read | --ssl-mode= | --plugin-dir=script! | --default-auth=
        --default-character-set= | --character-sets-dir=read | --bind-address= | --max-allowed-packet=
        --connect-timeout= | -C --compress | -v --verbose | -f --force"""

PROGRAMS: Final[dict[str, str]] = {
    "psql": f"""operands:text* | does:network | interpreter | {_PG} | -c --command=code
        -f --file=script | -o --output=write! | case:-o PIPE shell! | -L --log-file=write!
        -v --set --variable=
        -F --field-separator= | -R --record-separator= | -P --pset= | -T --table-attr= | -X --no-psqlrc
        -1 --single-transaction | -a | -A | -b | -e | -E | -H | -l | -n | -q | -s | -S | -t | -V | -x
        -z | -0""",
    "pg_dump,pg_dumpall": f"""operands:text | does:network | {_PG} | -f --file=write! | -F --format=
        -j --jobs= | -n --schema= | -N --exclude-schema= | -t --table= | -T --exclude-table=
        -e --extension= | -E --encoding= | -S --superuser= | -Z --compress= | --exclude-table-data=
        --section= | --role= | --lock-wait-timeout= | --snapshot= | --rows-per-insert= | --filter=read
        -l --database= | -a --data-only | -s --schema-only | -c --clean | -C --create | -O --no-owner
        -x --no-privileges | -b --blobs | -v | --if-exists | -g | -r""",
    "pg_restore": f"""operands:read | does:network | {_PG} | -f --file=write! | -F --format= | -j --jobs=
        -I --index= | -L --use-list=read | -n --schema= | -N --exclude-schema= | -P --function=
        -S --superuser= | -t --table= | -T --trigger= | --role= | --section= | -l --list | -c --clean
        -C --create | -a | -s | -e | -1 | -O | -x | -v""",
    (
        "createdb,createuser,vacuumdb,reindexdb,clusterdb,pg_isready,pgbench,pg_basebackup"
    ): f"""operands:text* | does:network | does:write | {_PG} | -D --pgdata=write | -f --file=script!
        -t= | -c= | -T= | -j= | -O --owner= | -T --template= | -E --encoding=""",
    "dropdb,dropuser": f"""operands:text* | does:network | does:delete | {_PG} | -f --force
        -i --interactive | -e --echo | --if-exists | --maintenance-db=""",
    "pg_ctl,pg_ctlcluster,initdb,postgres,mysqld,mongod,redis-server": """operands:text* | does:write
        -D --pgdata=write | -l --log=write! | -o --options=! | -c= | -p=shell!
        --config --config-file=read | --dbpath=write | --port= | -m --mode= | -t --timeout= | -w | -W
        -s""",
    "mysql=mariadb,mycli,pgcli,litecli": f"""operands:text* | does:network | interpreter | {_MYSQL}
        -e --execute=code | --init-command=code! | --tee=write! | --pager=?shell! | --prompt=
        --delimiter= | -A --no-auto-rehash | -B --batch | -N --skip-column-names | -s --silent
        -t --table | -H --html | -X --xml | -r --raw | -E --vertical | -n | -q | -o | -i
        -U --safe-updates | -w | -b""",
    "mysqldump=mariadb-dump": f"""operands:text* | does:network | {_MYSQL} | -r --result-file=write!
        -T --tab=write! | -w --where= | --ignore-table= | --log-error=write! | --fields-terminated-by=
        -A --all-databases | -B --databases | -d --no-data | -t --no-create-info | -q --quick
        -R --routines | -n --no-create-db | --single-transaction | --add-drop-table | -F | -x | -l | -e""",
    "mysqladmin,mysqlimport,mysqlcheck,mysqlshow,mariadb-admin": f"""operands:text* | does:network
        does:write | {_MYSQL} | -i --sleep= | -c --count= | -w --wait=?""",
    "mongosh=mongo": """operands:network script* | does:network | interpreter | --eval=code
        -f --file=script | -u --username= | -p --password=? | --host=network | --port=
        --authenticationDatabase= | --authenticationMechanism= | --tlsCAFile=read
        --tlsCertificateKeyFile=read | --tlsCertificateKeyFilePassword= | --json=? | --apiVersion=
        --shell | --quiet | --norc | --nodb | --tls""",
    "mongodump,mongorestore,mongoexport,mongoimport": """operands:text* | does:network | -o --out=write!
        --dir=read | --archive=?write! | --uri=network | -h --host=network | --port= | -u --username=
        -p --password= | -d --db= | -c --collection= | -q --query= | --queryFile=read | -f --fields=
        --fieldFile=read | --file=read | --type= | --config=read! | --authenticationDatabase=
        --nsInclude= | --nsExclude= | --drop | --gzip | -j= | --jsonArray | --sort= | --limit= | --skip=
        --mode= | --numInsertionWorkers=""",
    "redis-cli=valkey-cli=keydb-cli": """operands:text* | options-first | does:network | interpreter
        -h=network | -p= | -s= | -a --pass= | --user= | -u=network | -r= | -i= | -n= | -d= | -D= | -X=
        --eval=script! | --cacert=read | --cacertdir=read | --cert=read | --key=read | --sni=
        --rdb=write! | --functions-rdb=write! | --pattern= | --quoted-pattern= | --cluster= | --lru-test=
        --intrinsic-latency= | --memkeys-samples= | --count= | --cluster-args= | --show-pushes= | -t=
        -c | -x | -2 | -3 | -e | --pipe | --raw | --no-raw | --csv | --json | --stat | --scan | --bigkeys
        --tls | --insecure | --askpass | --ldb! | --verbose | --no-auth-warning""",
    "duckdb": """style:single | operands:write code* | interpreter | -c=code | -s=code | -f=script!
        -cmd=code | -init=script! | -readonly>read | -separator= | -newline= | -nullvalue= | -csv | -json
        -markdown | -batch | -bail | -unsigned!""",
    "sqlcmd": """operands:none | does:network | interpreter | -S=network | -U= | -P= | -d= | -Q=code
        -q=code | -i=script! | -o=write! | -v= | -s= | -w= | -h= | -t= | -l= | -E | -C | -b | -N=?""",
    (
        "sqlplus,isql,bcp,db2,clickhouse-client,clickhouse,cqlsh,influx,neo4j-admin,cypher-shell,"
        "snowsql,trino,presto,beeline,hive,impala-shell,cockroach,rethinkdb,couchdb,arangosh"
    ): """operands:text* | does:network | interpreter | -e --execute=code | -q --query=code
        -f --file=script! | -h --host=network | -u --user= | -p --password= | -P --port= | -d --database=
        -o --output=write!""",
    "etcdctl": """subcommands | does:network | operands:text* | --endpoints=network! | --cacert=read
        --cert=read | --key=read | --user= | --password= | -w --write-out= | --prefix | --from-key
        --discovery-srv=network!""",
    "etcdctl del": "operands:text* | does:delete",
    "etcdctl lock,elect": "operands:text command",
    "etcdctl watch": "operands:text command",
    (
        "prisma,drizzle-kit,knex,sequelize,typeorm,alembic,flyway,liquibase,dbmate,goose,atlas,sqlx,"
        "diesel,migrate,hasura"
    ): "subcommands | does:network | operands:text*",
    "alembic upgrade,downgrade,stamp": "operands:text* | does:network | --sql shows | --tag= | -x=",
    "sqlfluff,pgformatter,pg_format": "operands:write*",
}
