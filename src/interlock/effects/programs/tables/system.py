"""Programs about processes, users, services, disks and the machine itself."""

from __future__ import annotations

from typing import Final

_MAKING: Final = """operands:write* | device | -t --type= | -L --label= | -U --uuid= | -O= | -b= | -E=
    -d=read | -a --all | -f --force | -F | -q"""
_VERSION: Final = "-V shows"
_ANSIBLE: Final = """-i --inventory=read | -e --extra-vars=! | -u --user= | -b --become | -k | -K
    -M --module-path=read! | -l --limit= | -f --forks= | --private-key --key-file=read
    --vault-password-file=script! | -c --connection= | -T= | -C --check | -v"""
_USER: Final = """-g --gid= | -G --groups= | -s --shell= | -u --uid= | -c --comment= | -p --password=
    -e --expiredate= | -f --inactive= | -R --root=write | -P --prefix=write | -Z --selinux-user= | -o"""

PROGRAMS: Final[dict[str, str]] = {
    "ps": """style:bundled | -C= | -o --format= | -O= | -p --pid= | -q --quick-pid= | -u --user= | -U --User=
        -g --group= | -G --Group= | -s --sid= | -t --tty= | -N | --ppid= | --sort= | -k=
        --cols --columns --width= | --lines --rows= | -e | -A | -f | -F | -l | -L | -T | -a | -d | -x | -w
        -j | -y | -H | -M | -V""",
    "pstree": """-A | -a | -c | -g | -G | -h | -H= | -l | -n | -N= | -p | -s | -S | -t | -T | -u | -U | -V
        -Z""",
    "pgrep,pkill,pidwait": """-d --delimiter= | -P --parent= | -s --session= | -t --terminal= | -u --euid=
        -U --uid= | -g --pgroup= | -G --group= | -F --pidfile=read | -r --runstates= | -O --older= | --signal=
        --ns= | --nslist= | --cgroup= | -f --full | -x --exact | -n --newest | -o --oldest | -v --inverse
        -l --list-name | -a --list-full | -c --count | -i --ignore-case | -w --lightweight | -L --logpidfile
        -e --echo | -H --require-handler | -A | -q --queue=""",
    "killall": """-s --signal= | -u --user= | -y --younger-than= | -o --older-than= | -n --ns= | -Z --context=
        -e --exact | -I --ignore-case | -g | -i | -l | -q | -r | -v | -w | -m | -d | -t= | -c=""",
    "killall5,xkill,skill,snice,slay": "operands:text*",
    "pidof": "-o --omit-pid= | -S --separator= | -s | -c | -q | -w | -x | -t",
    "top,htop,btop,atop,iotop,iftop,nethogs,glances,slabtop": """-n= | -d --delay= | -p= | -u --user= | -U=
        -o= | -w=? | -s --sort-key= | -E= | -i | -b | -c | -H | -S""",
    "fuser": """operands:read* | -k --kill! | -n --namespace= | -M | -m --mount | -v --verbose | -i
        -u --user | -a | -s | -c | -f | -w""",
    "lsblk": """operands:read* | -o --output= | -x --sort= | -E --dedup= | -I --include= | -e --exclude=
        -w --width= | --sysroot=read | -t --topology | -b | -f | -J | -l | -n | -p | -r""",
    "findmnt": """operands:read* | -t --types= | -O --options= | -S --source= | -T --target=read
        -M --mountpoint=read | -N --task= | -F --tab-file=read | -d --direction= | -w --timeout=
        -o --output= | -x --verify""",
    "blkid": """operands:read* | -c --cache-file=read | -o --output= | -s --match-tag= | -t --match-token=
        -L= | -U= | -n=""",
    "lvm": "operands:command | options-first | transparent",
    "swapon,swapoff": """operands:write* | -L= | -U= | -p --priority= | -o --options= | -a --all
        -d --discard=?""",
    "lslogins,lsns,lsipc,lslocks": "-o --output= | -t --type= | -p --task= | -u= | -g= | -l= | -i --id=",
    "dmesg": """operands:none | -C --clear! | -c --read-clear! | -D --console-off! | -E --console-on!
        -F --file=read | -K --kmsg-file=read | -f --facility= | -l --level= | -n --console-level=!
        -s --buffer-size= | --since= | --until= | --time-format= | -T --ctime | -w --follow | -H --human | -k
        -u | -x | -L --color=?""",
    "journalctl": """-u --unit= | --user-unit= | -n --lines=? | -p --priority= | -S --since= | -U --until=
        -o --output= | -b --boot=? | -t --identifier= | -g --grep= | -F --field= | -D --directory=read
        --file=read | -i | -M --machine= | --root=write | --image=read | -c --cursor= | --cursor-file=write!
        --after-cursor= | --output-fields= | --facility= | --namespace= | --interval=
        --vacuum-size=! does:delete | --vacuum-time=! does:delete | --vacuum-files=! does:delete | --rotate!
        --flush! | --setup-keys! | -f --follow | -x --catalog | -k --dmesg | -r --reverse | -e --pager-end
        -q --quiet | -a --all | --no-pager""",
    "systemctl": """subcommands | -t --type= | --state= | -p --property= | -P= | -H --host=network!
        -M --machine=! | -n --lines= | -o --output= | -s --signal= | --kill-whom --kill-who= | --job-mode=
        --root=write | --image=read | --preset-mode= | --check-inhibitors= | --what= | --message= | --when=
        --reboot-argument= | --boot-loader-menu= | --boot-loader-entry= | --timestamp= | --legend=
        --firmware-setup | -a --all | -l --full | -r --recursive | -q --quiet | -f --force | -i | --user
        --system | --now | --no-pager | --no-block | --wait | --runtime | --global | --failed
        --dry-run shows""",
    "systemctl edit": "does:write | --full | --force | --drop-in=",
    "systemctl set-environment,import-environment": "operands:env*",
    "systemctl unset-environment": "operands:text*",
    "systemctl enable,disable,mask,unmask,link,preset,reenable,revert": "does:write",
    (
        "service,rc-service,invoke-rc.d,initctl,sv,s6-svc,supervisorctl,rc-update,"
        "update-rc.d,chkconfig,insserv"
    ): "operands:text*",
    "pm2": """subcommands | -n --name= | -i --instances= | -f --force | --watch=? | --interpreter=shell!
        --cwd=folder | -l --log=write! | -o --output=write! | -e --error=write!""",
    "pm2 start,restart,reload": "operands:script text*",
    (
        "systemd-analyze,systemd-tmpfiles,systemd-sysusers,loginctl,timedatectl,localectl,busctl,"
        "coredumpctl,bootctl,systemd-mount,systemd-umount,dbus-send,gdbus,gsettings,dconf,"
        "defaults"
    ): "operands:text*",
    "systemd-nspawn": """operands:command | interpreter | options-first | -D --directory=folder
        -i --image=read | -M --machine= | -u --user= | -b --boot | --bind=! | --bind-ro= | -E --setenv=env
        -p --port= | --chdir=folder | --overlay=! | -U | -q | -n""",
    "shutdown,reboot,halt,poweroff,init,telinit,pm-suspend,pm-hibernate,kexec": """-f --force | -p --poweroff
        -r --reboot | -h | -P | -H | -c | -k | -w | -d | -n | -l= | --initrd=read | --append=""",
    "useradd,adduser,newusers": f"""does:write | -d --home --home-dir= | {_USER} | -k --skel=read | -K --key=
        -b --base-dir= | -h shows | --gecos= | --ingroup= | --conf=read | -l --no-log-init | -m | -M | -N
        -r --system | -U | -D""",
    "usermod": f"""does:write | -d --home= | {_USER} | -l --login= | -v --add-subuids= | -V --del-subuids=
        -w --add-subgids= | -W --del-subgids= | -a --append | -L --lock | -U --unlock | -m --move-home
        -r --remove | -b""",
    "userdel,deluser,groupdel,delgroup": """does:write | -r --remove does:delete | --remove-home does:delete
        --remove-all-files does:delete | -f --force | -R --root=write | -P --prefix=write | -Z | -h shows""",
    "groupadd,groupmod,addgroup": """does:write | -g --gid= | -n --new-name= | -p --password= | -K --key=
        -R --root=write | -P --prefix=write | -U --users= | -f --force | -r --system | -o | -a""",
    "gpasswd": """does:write | -a --add= | -d --delete= | -A --administrators= | -M --members=
        -Q --root=write | -r --remove-password | -R --restrict""",
    "chage": """does:write | -d --lastday= | -E --expiredate= | -I --inactive= | -m --mindays= | -M --maxdays=
        -W --warndays= | -R --root=write | -i --iso8601 | -l --list""",
    "passwd": """does:write | -i --inactive= | -n --mindays= | -x --maxdays= | -w --warndays=
        -r --repository= | -R --root=write | -a --all | -d --delete | -e --expire | -k | -l --lock | -q
        -S --status | -u --unlock""",
    "visudo": "does:write | -c --check shows | -f --file=read | -s --strict | -q --quiet | -V --version",
    "chsh,chfn,chpasswd,vipw,pwck,pwconv": """does:write | -s --shell= | -l --list-shells shows | -f= | -h=
        -o= | -w= | -R --root=write""",
    "getent,getcap,getenforce,getsebool": "-s --service=",
    (
        "setenforce,setsebool,semanage,restorecon,apparmor_parser,aa-complain,aa-disable,auditctl"
    ): "does:write",
    "sysctl": """-w --write! does:write | -p --load=?read! | --system! | -a --all | -n --values | -e | -N | -q
        -b | -r --pattern=""",
    "modprobe,insmod,rmmod,depmod,kmod": """operands:script text* | does:write | -C --config=read!
        -d --dirname=write | -r --remove | -a | -n""",
    "lsmod,modinfo": "-F --field= | -k= | -b=",
    (
        "update-alternatives,alternatives,dpkg-reconfigure,dpkg-divert,ldconfig,update-grub,"
        "grub-install,update-initramfs,mkinitramfs,dracut,efibootmgr,ucf"
    ): "does:write",
    "logger": """-f --file=read | -n --server=network | -P --port= | -p --priority= | -t --tag= | -u --socket=
        --id=? | -S --size= | --sd-id= | --sd-param= | --msgid= | -i | -s | -T | -d | --rfc5424=?""",
    "wall,write,mesg,talk": "-g --group= | -t --timeout= | -n",
    "ipcrm,ipcmk,ipcs": "-m= | -q= | -s= | -M= | -Q= | -S= | -a --all=?",
    "tset,setterm,loadkeys,localedef,locale-gen,hwclock,ntpdate,chronyc": "operands:text*",
    "login,agetty,getty": "-f= | -h= | -p",
    (
        "xset,xrandr,xdotool,xinput,setxkbmap,xmodmap,xrdb,wmctrl,ydotool,notify-send,zenity,osd_cat,"
        "pbcopy,pbpaste,xsel,wl-copy,wl-paste,say,afplay,screencapture,scrot,import"
    ): "operands:text*",
    "xclip": """style:single | operands:read* | -o -out | -i -in | -selection -sel= | -t -target=
        -d -display= | -l -loops= | -f | -r""",
    "security,keychain,secret-tool,pass,gopass,bw,lpass,keyring,certutil,pk12util": "subcommands",
    "keytool": """style:single | -keystore=write | -file=read | -alias= | -storepass= | -keypass=
        -providerpath=read! | -J=?!""",
    "ansible": f"""does:network | -m --module-name= | -a --args=code! | {_ANSIBLE} | -t --tree=write! | -D
        -o""",
    "ansible-playbook": f"""operands:script* | does:network | {_ANSIBLE} | -t --tags= | --skip-tags=
        --vault-id= | -D --diff | --start-at-task=""",
    "ansible-vault": """subcommands | operands:edit* | --vault-password-file=script! | --vault-id=
        --output=write | --encrypt-vault-id=""",
    "xdg-mime,xdg-settings,gapplication": "operands:text*",
    "mimeopen,run-mailcap,see": "operands:read* | -a --ask | --action=",
    "gio": "subcommands | operands:read*",
    "gio copy": "operands:read* write | -p | -b | -i | -P | -T",
    "gio move,rename": "operands:move* write | -p | -b | -i | -T",
    "gio remove,trash": "operands:delete* | -f --force | --empty! does:delete | --list",
    "gio save,set,mkdir": "operands:write* | -b | -c | -a | -p --parent",
    (
        "vboxmanage,virsh,virt-install,qemu-system-x86_64,qemu-img,multipass,lima,limactl,colima,orb,"
        "utmctl,lxc,lxd,incus"
    ): "subcommands",
    "lxc exec": """operands:text command | options-first | --cwd=folder | --env=env | --user= | --group= | -t
        -T | -n""",
    "incus exec": """operands:text command | options-first | --cwd=folder | --env=env | --user= | --group=
        -t | -T | -n""",
    "multipass exec": "operands:text command | options-first | -d --working-directory=folder | -n",
    "limactl shell": "operands:text command | options-first | --workdir=folder | --shell=shell!",
    "wsl": """operands:command | style:single | options-first | -d= | --distribution= | -u= | --user=
        --cd=folder | -e=command | --exec=command | --shutdown | -l""",
    "mkfs,newfs,newfs_msdos,newfs_hfs,newfs_apfs": _MAKING,
    "mkswap,blkdiscard,mkfs.btrfs,mkfs.exfat": f"{_MAKING} | {_VERSION}",
    "mke2fs,mkfs.ext2,mkfs.ext3,mkfs.ext4": f"{_MAKING} | -n shows | {_VERSION}",
    "mkfs.xfs": f"{_MAKING} | -N shows | {_VERSION}",
    "wipefs": """operands:read* | device | -a --all>write | -o --offset=>write | -t --types= | -O --output=
        -n --no-act shows | -J --json | -p --parsable | -i --noheadings | -q --quiet | -f --force
        -b --backup=?""",
    "fdisk": """operands:write* | device | -l --list shows | -x --list-details shows | -s --getsz shows
        -b --sector-size= | -c --compatibility=? | -L --color=? | -t --type= | -u --units=? | -o --output=
        -w --wipe=! | -W --wipe-partitions=! | -C --cylinders= | -H --heads= | -S --sectors=
        -v -V --version""",
    "cfdisk": "operands:write* | device | -L --color=? | -b --sector-size= | -z --zero!",
    "sfdisk": """operands:write* | device | -l --list shows | -d --dump shows | -J --json shows
        -V --verify shows | -T --list-types shows | -s --show-size shows | -F --list-free shows
        -g --show-geometry shows | -n --no-act shows | -A --activate! | --delete! | -r --reorder!
        --part-uuid! | --part-type! | --part-label! | --part-attrs! | --disk-id! | --relocate=!
        -N --partno=! | -w --wipe=! | -W --wipe-partitions=! | -X --label=! | -Y --label-nested=!
        -a --append! | -b --backup! | -f --force! | --move-data=?! | -O --backup-file=write | -o --output=
        -q --quiet | --color=?""",
    "gdisk": "operands:write* | device | -l shows",
    "sgdisk": """operands:write* | device | -p --print shows | -i --info= shows | -v --verify shows
        -L --list-types shows | -P --pretend shows | -E --end-of-largest shows | -f --first-in-largest shows
        -F --first-aligned-in-largest shows | -D --display-alignment shows | -b --backup=write shows
        -Z --zap-all! | -z --zap! | -o --clear! | -n --new=! | -N --largest-new=! | -d --delete=!
        -t --typecode=! | -c --change-name=! | -g --mbrtogpt! | -G --randomize-guids! | -s --sort!
        -e --move-second-header! | -l --load-backup=! | -m --gpttombr=?! | -h --hybrid=! | -r --transpose=!
        -R --replicate=write! | -u --partition-guid=! | -U --disk-guid=! | -A --attributes=!
        -a --set-alignment= | -j --adjust-main-table=! | -k=! | -S --resize-table=! | -C --recompute-chs!""",
    # `roles.py` reads its words: `parted DISK print` only shows, `parted DISK rm 1` writes.
    "parted": """operands:write text* | device | -l --list shows | -m --machine | -s --script | -f --fix!
        -a --align= | -v --version""",
    "badblocks": """operands:read* | device | -w!>write | -n!>write | -s | -v | -b= | -c= | -e= | -d=
        -i=read | -o=write | -p= | -t=""",
    "fsck,e2fsck,xfs_repair": """operands:write* | device | -n shows | -N shows | -t= | -y! | -p! | -a! | -c!
        -D! | -k! | -l=! | -L! | -E=! | -b=! | -B= | -f | -v""",
    "tune2fs": """operands:write* | device | -l shows | -L=! | -O=! | -c=! | -C=! | -e=! | -E=! | -i=! | -I=!
        -j! | -J=! | -m=! | -M=! | -o=! | -Q=! | -r=! | -T=! | -u=! | -g=! | -U=! | -f!""",
    "resize2fs": "operands:write text | device | -P shows | -M! | -b! | -s! | -f! | -p | -S=! | -z=!",
    "dumpe2fs,xfs_info": "operands:read* | -o= | -h | -b | -x | -f | -i",
    "debugfs": "operands:read* | -R=code! | -f=script! | -w!>write | -c | -i | -b= | -s= | -d=read",
    "xfs_db": "operands:read* | -x!>write | -r | -c= | -f | -i | -p= | -F | -l=write",
    "hdparm": """operands:write* | device | -I shows | -i shows | -g shows | -t shows | -T shows | -C shows
        -H shows | --Istdout shows | --direct | -v | -q | -W=?! | -S=?! | -B=?! | -M=?! | -A=?! | -a=?!
        -d=?! | -c=?! | -k=?! | -K=?! | -m=?! | -r=?! | -u=?! | -X=?! | -y! | -Y! | -z! | -N=?!
        --security-erase=! | --security-erase-enhanced=! | --security-set-pass=! | --security-disable=!
        --security-unlock=! | --user-master= | --write-sector=! | --repair-sector=! | --make-bad-sector=!
        --trim-sector-ranges=! | --fwdownload=! | --dco-restore! | --yes-i-know-what-i-am-doing!""",
    "smartctl": """operands:read* | -a --all | -x --xall | -H --health | -i --info | -A --attributes
        -t --test= | -l --log= | -d --device= | -s --smart=! | -o --offlineauto=! | -S --saveauto=!
        -g --get= | --set=! | -n --nocheck= | -q --quietmode= | -T --tolerance= | -b --badsum= | -r --report=
        -j --json=? | -P= | -v --vendorattribute= | -c --capabilities | -X --abort | -V""",
    "nvme": "subcommands | operands:write*",
    (
        "nvme list,list-subsys,list-ns,list-ctrl,smart-log,id-ctrl,id-ns,error-log,fw-log,get-log,"
        "get-feature,self-test-log,endurance-log,effects-log,show-regs,version,help"
    ): """operands:read* | -o --output-format= | -n --namespace-id= | -v --verbose | -H --human-readable
        -f --feature-id= | -i --log-id= | -l --log-len=""",
    "cryptsetup": """subcommands | operands:write text* | device | -d --key-file=read | -c --cipher=
        -s --key-size= | -h --hash= | --type= | -S --key-slot= | -q --batch-mode | -v --verbose
        --header=write""",
    "cryptsetup luksDump,isLuks,luksUUID,tcryptDump,bitlkDump,repair-status": "operands:read*",
    "cryptsetup status,close=luksClose=remove,benchmark,resize": "operands:text*",
    "mdadm": """operands:write* | device | -D --detail shows | -E --examine shows | -Q --query shows
        -X --examine-bitmap shows | --detail-platform shows | -s --scan | -v --verbose | -b --brief
        -Y --export | -C --create! | -A --assemble! | -S --stop! | -G --grow! | -B --build! | -F --monitor!
        -f --fail! | -r --remove! | -a --add! | --zero-superblock! | -l --level= | -n --raid-devices=
        -x --spare-devices= | -c --config=read | -N --name=""",
    "btrfs": "subcommands:2 | operands:write*",
    "btrfs filesystem=fi,subvolume=sub=su,device=dev,scrub,balance,quota,qgroup,property": """subcommands
        operands:write*""",
    "btrfs filesystem show,df,usage,du": "operands:read* | -h | -m | -d | -s",
    "btrfs subvolume list,show,get-default,find-new": "operands:read* | -a | -p | -t | -r | -s",
    "btrfs device stats,usage,ready": "operands:read* | -z!>write | -c",
    "btrfs scrub status": "operands:read*",
    "btrfs balance status": "operands:read*",
    "btrfs qgroup show": "operands:read*",
    "btrfs inspect-internal=inspect": "subcommands | operands:read*",
    "btrfs check": """operands:read* | --repair!>write | --init-csum-tree!>write | --init-extent-tree!>write
        --clear-space-cache=!>write | --readonly | -s= | -b | -p | --force""",
    "dmsetup": "subcommands | operands:write*",
    "dmsetup ls,table,info,status,deps,targets,version": """operands:read* | --target= | --tree | -c | -o=
        -C""",
    "diskutil": "subcommands | operands:write*",
    "diskutil list,info,activity,listFilesystems,verifyVolume,verifyDisk": "operands:read* | -plist | -all",
    "blockdev": """operands:write* | device | --getsize64 shows | --getsz shows | --getro shows
        --getss shows | --getpbsz shows | --getiomin shows | --getioopt shows | --getalignoff shows
        --getmaxsect shows | --getbsz shows | --getra shows | --getfra shows | --report shows | --setro!
        --setrw! | --setbsz=! | --setra=! | --setfra=! | --flushbufs! | --rereadpt! | -q | -v""",
    "partprobe": "operands:write* | device | -d --dry-run shows | -s --summary",
    "partx": """operands:write* | device | -s --show shows | -l --list shows | -P --pairs shows
        -r --raw shows | -o --output= | -n --nr= | -t --type= | -b | -g | -a --add! | -d --delete!
        -u --update!""",
    "kpartx": "operands:write* | device | -l shows | -a! | -d! | -u! | -f | -p= | -r | -s | -v",
    # With one operand they only show the label (`roles.py`).
    "e2label,fatlabel,xfs_admin": "operands:write text | device | -l shows | -u shows | -L=! | -U=!",
    "swaplabel": "operands:read* | -L --label=!>write | -U --uuid=!>write",
    "losetup": """operands:write read | -f --find | -d --detach=write | -o --offset= | --sizelimit=
        -j --associated=read shows | -D | -a --all shows | -l --list shows | -P""",
    "zpool": "subcommands | operands:write*",
    "zfs": "subcommands | operands:write*",
    "zfs destroy": "operands:write* | -n shows | -v | -p | -r | -R | -f | -d",
    (
        "lvcreate,lvremove,vgcreate,vgremove,pvcreate,pvremove,cryptdisks_start"
    ): "operands:write* | -h shows | -t --test shows | -f --force | -y --yes | -v --verbose | -q --quiet",
    "zpool status,list,get,history,iostat,events": "operands:read*",
    "sg_format": "operands:write*",
}
