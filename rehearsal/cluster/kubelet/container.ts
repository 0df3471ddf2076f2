import { cacheFolder } from "../../parts/cache";

/** Folder of image programs that scripts call by name; first in PATH. */
export const COMMANDS_FOLDER = "/run/commands";

const EMPTY_FOLDERS = ["/etc", "/var", "/run", "/tmp"];

/**
 * Runs a program in a private file system: this machine's, with the folders below emptied and
 * volumes mounted. Keeps its network namespace. Hooks that write to process 1 write to their own
 * output, as process ids differ here. Users other than root can read root's folders with programs,
 * but not its home. Arguments: mount point, user or nothing, "read-only" or nothing, number of
 * volumes, source and target of each, the command.
 */
const SCRIPT = `set -e
root=$1; user=$2; lock=$3; count=$4; shift 4
mount -t tmpfs -o size=64m tmpfs "$root"
bind() {
  mkdir "$root$1"; mount --rbind "$1" "$root$1"
  case "$1" in /dev|/proc|/sys) ;; *) [ -z "$lock" ] || mount -o remount,bind,ro "$root$1";; esac
}
for entry in /*; do
  case "$entry" in ${EMPTY_FOLDERS.join("|")}) mkdir "$root$entry"; continue;; esac
  if [ -L "$entry" ]; then cp -P "$entry" "$root$entry"
  elif [ -n "$user" ] && [ "$entry" = /root ]; then
    mkdir "$root$entry"
    for folder in "$entry"/* "$entry"/.[!.]*; do [ ! -d "$folder" ] || bind "$folder"; done
  elif [ -d "$entry" ]; then bind "$entry"; fi
done
chmod 1777 "$root/tmp"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs tmpfs "$root/proc/1"
mkdir "$root/proc/1/fd"
ln -s /proc/self/fd/1 "$root/proc/1/fd/1"
for file in passwd group nsswitch.conf localtime; do [ ! -e "/etc/$file" ] || cp -L "/etc/$file" "$root/etc/$file"; done
for folder in ssl ca-certificates alternatives; do
  [ ! -d "/etc/$folder" ] || { mkdir "$root/etc/$folder"; mount --rbind "/etc/$folder" "$root/etc/$folder"; }
done
while [ "$count" -gt 0 ]; do
  if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$(dirname "$root$2")"; [ -e "$root$2" ] || : >"$root$2"; fi
  mount --bind "$1" "$root$2"
  shift 2; count=$((count - 1))
done
[ -z "$lock" ] || mount -o remount,ro "$root"
[ -n "$user" ] || exec chroot "$root" "$@"
exec chroot "$root" setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --bounding-set -all "$@"`;

export interface Mount {
  readonly source: string;
  readonly target: string;
}

export interface ContainerCommand {
  /** Process whose network namespace it joins. */
  readonly network: string;
  /** Numeric user and group. @default root */
  readonly user?: number;
  /** Whether only its volumes are writable. @default false */
  readonly isReadOnly?: boolean;
  /** Empty folder for mounts visible only to the container. */
  readonly root: string;
  readonly mounts: readonly Mount[];
  /** Complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute program path and arguments. */
  readonly command: readonly string[];
}

export function containerCommand(container: ContainerCommand): readonly [string, readonly string[]] {
  const { network, root, user, isReadOnly, mounts, env, command } = container;
  // XDG_CACHE_HOME may put installed programs into an emptied folder. A volume on that folder would
  // hide an earlier mount.
  const parts = cacheFolder();
  const isEmptied = EMPTY_FOLDERS.some((folder) => parts.startsWith(`${folder}/`));
  const all = [...mounts, ...(isEmptied ? [{ source: parts, target: parts }] : [])];
  const volumes = all.flatMap(({ source, target }) => [source, target]);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [
    "nsenter",
    [
      `--net=/proc/${network}/ns/net`,
      "unshare",
      "--mount",
      "--propagation=private",
      "/bin/sh",
      "-c",
      SCRIPT,
      "container",
      root,
      user === undefined ? "" : String(user),
      isReadOnly ? "read-only" : "",
      String(all.length),
      ...volumes,
      "/usr/bin/env",
      "-i",
      `PATH=${COMMANDS_FOLDER}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      "HOME=/tmp",
      ...variables,
      ...command,
    ],
  ];
}
