"""Programs about whole disks, partitions and file systems, or the image files that stand for them."""

from __future__ import annotations

from typing import Final

_MAKING: Final = """operands:write* | device | -t --type= | -L --label= | -U --uuid= | -O= | -b= | -E=
        -d=read
        -a --all | -f --force | -F | -q"""
_VERSION: Final = "-V shows"

PROGRAMS: Final[dict[str, str]] = {
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
        -a --append!
        -b --backup! | -f --force! | --move-data=?! | -O --backup-file=write | -o --output= | -q --quiet
        --color=?""",
    "gdisk": "operands:write* | device | -l shows",
    "sgdisk": """operands:write* | device | -p --print shows | -i --info= shows | -v --verify shows
        -L --list-types shows | -P --pretend shows | -E --end-of-largest shows | -f --first-in-largest shows
        -F --first-aligned-in-largest shows | -D --display-alignment shows | -b --backup=write shows
        -Z --zap-all! | -z --zap! | -o --clear! | -n --new=! | -N --largest-new=! | -d --delete=!
        -t --typecode=! | -c --change-name=! | -g --mbrtogpt! | -G --randomize-guids! | -s --sort!
        -e --move-second-header! | -l --load-backup=! | -m --gpttombr=?! | -h --hybrid=! | -r --transpose=!
        -R --replicate=write! | -u --partition-guid=! | -U --disk-guid=! | -A --attributes=!
        -a --set-alignment= | -j --adjust-main-table=! | -k=! | -S --resize-table=! | -C --recompute-chs!""",
    # What its words say is looked at: `parted DISK print` shows, `parted DISK rm 1` does not.
    "parted": """operands:write text* | device | -l --list shows | -m --machine | -s --script | -f --fix!
        -a --align= | -v --version""",
    "badblocks": """operands:read* | device | -w!>write | -n!>write | -s | -v | -b= | -c= | -e= | -d=
        -i=read
        -o=write | -p= | -t=""",
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
        -t --test=
        -l --log= | -d --device= | -s --smart=! | -o --offlineauto=! | -S --saveauto=! | -g --get= | --set=!
        -n --nocheck= | -q --quietmode= | -T --tolerance= | -b --badsum= | -r --report= | -j --json=?
        -P= | -v --vendorattribute= | -c --capabilities | -X --abort | -V""",
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
        -Y --export
        -C --create! | -A --assemble! | -S --stop! | -G --grow! | -B --build! | -F --monitor! | -f --fail!
        -r --remove! | -a --add! | --zero-superblock! | -l --level= | -n --raid-devices= | -x --spare-devices=
        -c --config=read | -N --name=""",
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
    "dmsetup ls,table,info,status,deps,targets,version": """operands:read* | --target= | --tree | -c
        -o= | -C""",
    "diskutil": "subcommands | operands:write*",
    "diskutil list,info,activity,listFilesystems,verifyVolume,verifyDisk": "operands:read* | -plist | -all",
    "blockdev": """operands:write* | device | --getsize64 shows | --getsz shows | --getro shows
        --getss shows
        --getpbsz shows | --getiomin shows | --getioopt shows | --getalignoff shows | --getmaxsect shows
        --getbsz shows | --getra shows | --getfra shows | --report shows | --setro! | --setrw! | --setbsz=!
        --setra=! | --setfra=! | --flushbufs! | --rereadpt! | -q | -v""",
    "partprobe": "operands:write* | device | -d --dry-run shows | -s --summary",
    "partx": """operands:write* | device | -s --show shows | -l --list shows | -P --pairs shows
        -r --raw shows
        -o --output= | -n --nr= | -t --type= | -b | -g | -a --add! | -d --delete! | -u --update!""",
    "kpartx": "operands:write* | device | -l shows | -a! | -d! | -u! | -f | -p= | -r | -s | -v",
    # One operand alone is looked at.
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
