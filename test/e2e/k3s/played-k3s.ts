import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ScriptInput } from "../../../components/cluster/k3s/host-script";
import type { Machine } from "./machine";

/** A release of k3s with the interface of the real one, in sh. */
export interface PlayedRelease {
  readonly version: string;
  readonly binary: string;
  readonly installer: string;
}

/** `k3s` as far as scripts ask it. The node is ready once the unit is active. */
function binary(version: string): string {
  return `#!/bin/sh
case "$*" in
  --version) echo "k3s version ${version} (0123abcd)"; echo "go version go1.26.1" ;;
  "secrets-encrypt status") echo "Encryption Status: $(cat "$MACHINE_FOLDER/encryption" 2>/dev/null || echo Enabled)" ;;
  *" get node "*) cat "$MACHINE_FOLDER/ready" 2>/dev/null || echo True ;;
  *" label node "*) echo "$*" >>"$MACHINE_FOLDER/labelled" ;;
  *" get namespace kube-system "*) echo 6f0f1f2c-0000-4000-8000-000000000000 ;;
esac
`;
}

/** The installer's interface (k3s-io/k3s, install.sh at v1.36): what it reads, and the files that it writes. */
const INSTALLER = `#!/bin/sh
set -e
[ "$INSTALL_K3S_SKIP_DOWNLOAD" = true ] && [ "$INSTALL_K3S_SKIP_START" = true ] || exit 3
[ -x "$INSTALL_K3S_BIN_DIR/k3s" ] || exit 4
bin=$INSTALL_K3S_BIN_DIR
for cmd in kubectl crictl ctr; do
  [ -e $bin/$cmd ] || ln -sf k3s $bin/$cmd
done
cat >$bin/k3s-killall.sh <<'EOS'
#!/bin/sh
systemctl stop k3s
rm -rf /var/lib/cni /run/k3s/mounted
EOS
cat >$bin/k3s-uninstall.sh <<'EOS'
#!/bin/sh
/usr/local/bin/k3s-killall.sh
systemctl disable k3s
systemctl daemon-reload
rm -f /etc/systemd/system/k3s.service /etc/systemd/system/k3s.service.env
remove_uninstall() { rm -f /usr/local/bin/k3s-uninstall.sh; }
trap remove_uninstall EXIT
for cmd in kubectl crictl ctr; do
  if [ -L /usr/local/bin/$cmd ]; then rm -f /usr/local/bin/$cmd; fi
done
rm -rf /etc/rancher/k3s /run/k3s /run/flannel /var/lib/rancher/k3s /var/lib/kubelet
rm -f /usr/local/bin/k3s /usr/local/bin/k3s-killall.sh
EOS
chmod 755 $bin/k3s-killall.sh $bin/k3s-uninstall.sh
rm -f /etc/systemd/system/k3s.service
env | grep '^K3S_' >/etc/systemd/system/k3s.service.env || true
chmod 600 /etc/systemd/system/k3s.service.env
printf '[Service]\\nExecStart=%s/k3s %s\\n' "$bin" "$INSTALL_K3S_EXEC" >/etc/systemd/system/k3s.service
systemctl enable /etc/systemd/system/k3s.service
`;

/** What k3s leaves on a machine once it runs. */
const SYSTEMCTL = `
case "$*" in
  "is-active --quiet k3s") [ -e "$MACHINE_FOLDER/active" ] ;;
  "is-active --quiet systemd-logind") true ;;
  "is-enabled --quiet k3s") [ -e "$MACHINE_FOLDER/enabled" ] ;;
  enable*) : >"$MACHINE_FOLDER/enabled" ;;
  "disable --now k3s") rm -f "$MACHINE_FOLDER/enabled" "$MACHINE_FOLDER/active" ;;
  "disable k3s") rm -f "$MACHINE_FOLDER/enabled" ;;
  "stop k3s") rm -f "$MACHINE_FOLDER/active" ;;
  "restart --no-block k3s")
    [ -e /etc/systemd/system/k3s.service ] || exit 5
    [ ! -e "$MACHINE_FOLDER/broken" ] || { rm -f "$MACHINE_FOLDER/active"; exit 0; }
    : >"$MACHINE_FOLDER/active"
    cat /etc/rancher/k3s/config.yaml >"$MACHINE_FOLDER/runs-with"
    mkdir -p /var/lib/rancher/k3s/server/tls /var/lib/rancher/k3s/server/db /etc/rancher/node /var/lib/kubelet /var/log/pods /var/log/containers /run/k3s /var/lib/cni
    [ -e /var/lib/rancher/k3s/server/tls/server-ca.crt ] || echo authority >/var/lib/rancher/k3s/server/tls/server-ca.crt
    echo rows >/var/lib/rancher/k3s/server/db/state.db
    echo password >/etc/rancher/node/password
    echo "server: https://127.0.0.1:6443" >/etc/rancher/k3s/k3s.yaml
    ;;
  "show --property NRestarts --value k3s")
    [ ! -e "$MACHINE_FOLDER/broken" ] || echo $(($(cat "$MACHINE_FOLDER/restarts" 2>/dev/null || echo 0) + 1)) >"$MACHINE_FOLDER/restarts"
    cat "$MACHINE_FOLDER/restarts" 2>/dev/null || echo 0 ;;
esac
`;

const CURL = `
for last; do :; done
while [ $# -gt 0 ]; do [ "$1" = --output ] && out=$2; shift; done
[ -f "$MACHINE_FOLDER/net/$(basename "$last")" ] || { echo "curl: (6) Could not resolve host" >&2; exit 6; }
/usr/bin/cp "$MACHINE_FOLDER/net/$(basename "$last")" "$out"
`;

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export function playedRelease(version = "v1.36.4+k3s1"): PlayedRelease {
  return { version, binary: binary(version), installer: `${INSTALLER}# ${version}\n` };
}

/** Programs that the installation calls; they remember what they did beside the machine. */
export function playK3s(machine: Machine): void {
  machine.program("systemctl", SYSTEMCTL);
  machine.program("curl", CURL);
  machine.program("journalctl", `echo 'level=fatal msg="what k3s said last"'`);
  machine.program("sleep");
  machine.program(
    "sysctl",
    `touch "$MACHINE_FOLDER/kernel"
case "$1 $2" in
  "-n "*) grep "^$2=" "$MACHINE_FOLDER/kernel" | cut -d = -f 2 || true ;;
  "-q -p") [ ! -e "$MACHINE_FOLDER/no-sysctl" ] || { echo "sysctl: permission denied" >&2; exit 1; }
    while IFS= read -r line; do /usr/bin/sed -i "/^\${line%%=*}=/d" "$MACHINE_FOLDER/kernel"; echo "$line" >>"$MACHINE_FOLDER/kernel"; done <"$3" ;;
  "-q -w") /usr/bin/sed -i "/^\${3%%=*}=/d" "$MACHINE_FOLDER/kernel"; echo "$3" >>"$MACHINE_FOLDER/kernel" ;;
esac`,
  );
  writeFileSync(machine.note("kernel"), "vm.overcommit_memory=0\nkernel.panic=0\n");
}

/** What is to be had from the internet. */
export function offer(machine: Machine, { version, binary: content, installer }: PlayedRelease): void {
  const net = machine.note("net");
  mkdirSync(net, { recursive: true });
  writeFileSync(join(net, `k3s-${version}`), content);
  writeFileSync(join(net, `install-${version}.sh`), installer);
}

/** What the installation of a release is told. */
export function installation(
  release: PlayedRelease,
  values: Readonly<Record<string, string>> = {},
  files: ScriptInput["files"] = FILES,
): ScriptInput {
  return {
    values: {
      ENVIRONMENT: "edge-test",
      NODE: "workstation",
      LABELS: "platform/pool=workstation platform/role=edge",
      VERSION: release.version,
      BINARY_FILE: "k3s",
      BINARY_URL: `https://example.com/${basename(`k3s-${release.version}`)}`,
      BINARY_SHA256: sha256(release.binary),
      INSTALLER_URL: `https://example.com/install-${release.version}.sh`,
      INSTALLER_SHA256: sha256(release.installer),
      BUNDLE: "",
      BUNDLE_ARCHIVES: "",
      IMAGES_FILE: "k3s-airgap-images-amd64.tar.zst",
      IMAGES_SHA256: sha256("images of k3s"),
      ...values,
    },
    files,
  };
}

export const FILES = [
  { path: "/etc/sysctl.d/90-kubelet.conf", mode: "0644", content: "vm.overcommit_memory=1\nkernel.panic=10\n" },
  { path: "/etc/systemd/logind.conf.d/90-inference-stacks.conf", mode: "0644", content: "[Login]\n" },
  { path: "/etc/rancher/k3s/config.yaml", mode: "0600", content: "node-name: workstation\n" },
  { path: "/var/lib/rancher/k3s/server/audit.yaml", mode: "0600", content: "kind: Policy\n" },
  { path: "/var/lib/rancher/k3s/agent/etc/kubelet.conf.d/50.conf", mode: "0600", content: "maxPods: 110\n" },
];
