#!/bin/sh
# Process 1 of a machine of a test, in namespaces of its own. Its root is this machine's with a layer above: an image, and
# what is written, in memory. Argument: a folder with image/ (files that the machine has), parts/ (programs of the test bed
# and what they need) and log/; disk/ is where all of it is mounted.
set -eu
folder=$1
read -r outside rest </proc/self/stat
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder/disk"
root=$folder/disk/root
mkdir "$folder/disk/upper" "$folder/disk/work" "$folder/disk/temporary" "$root"
chmod 0755 "$folder/disk/upper"
cp -a "$folder/image" "$folder/disk/image"
mount -t overlay overlay -o "lowerdir=$folder/disk/image:/,upperdir=$folder/disk/upper,workdir=$folder/disk/work" "$root"
mount -t proc proc "$root/proc"
# Settings of the kernel are those of the whole machine: nobody in here changes them.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
# Hardware of its own, as far as the image tells of it.
for told in "$folder"/disk/image/proc/*; do
  mount --bind "$told" "$root/proc/${told##*/}"
done
mount --bind "$folder/disk/image/sys/class" "$root/sys/class"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
echo "cpuset cpu io memory hugetlb pids" >"$folder/disk/controllers"
mount --bind "$folder/disk/controllers" "$root/sys/fs/cgroup/cgroup.controllers"
if [ -d "$folder/disk/image/dev" ]; then
  # Cards' files belong to the group render, as udev's usual rules have it.
  find "$folder/disk/image/dev" -type f -exec chgrp 993 {} + -exec chmod 0660 {} +
  mount -t overlay overlay -o "lowerdir=$folder/disk/image/dev:/dev" "$root/dev"
  mount --rbind /dev/pts "$root/dev/pts"
else
  mount --rbind /dev "$root/dev"
fi
mount -t tmpfs -o mode=0755 tmpfs "$root/run"
mkdir -p "$root/run/sshd" "$root/run/systemd/system" "$root/run/parts" "$root/run/log/machine" "$root/run/lock"
mount --bind "$folder/parts" "$root/run/parts"
mount --bind "$folder/log" "$root/run/log/machine"
mount --bind "$NODE" "$root/run/parts/node"
mount --bind "$KUBECTL" "$root/run/parts/kubectl"
# What is left there is to be seen, but what others left on this machine is not.
chmod 1777 "$folder/disk/temporary"
mount --bind "$folder/disk/temporary" "$root/tmp"
hostname workstation
echo "pid $outside"
chroot "$root" /usr/sbin/sshd -D -e &
wait
