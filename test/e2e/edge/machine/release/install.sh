#!/bin/sh
# Stands in for install.sh of k3s: what it reads of its environment, and what it writes, as the real one.
set -e
BIN_DIR=${INSTALL_K3S_BIN_DIR:-/usr/local/bin}
SYSTEMD_DIR=${INSTALL_K3S_SYSTEMD_DIR:-/etc/systemd/system}
[ "${INSTALL_K3S_SKIP_DOWNLOAD:-}" = true ] || { echo "[ERROR] nothing is downloaded here" >&2; exit 1; }
[ -x "$BIN_DIR/k3s" ] || { echo "[ERROR] Executable k3s binary not found at $BIN_DIR/k3s" >&2; exit 1; }
for name in kubectl crictl ctr; do
  [ -e "$BIN_DIR/$name" ] || ln -s k3s "$BIN_DIR/$name"
done
cat >"$BIN_DIR/k3s-killall.sh" <<'EOF'
#!/bin/sh
systemctl stop k3s
rm -rf /run/k3s /run/flannel
EOF
cat >"$BIN_DIR/k3s-uninstall.sh" <<'EOF'
#!/bin/sh
# The real one leaves the node to its datastore, which goes too; this cluster's stays.
KUBECACHEDIR=/run/k3s/kubectl /usr/local/bin/k3s kubectl --kubeconfig /etc/rancher/k3s/k3s.yaml delete node --all --wait=false
/usr/local/bin/k3s-killall.sh
systemctl disable k3s
systemctl daemon-reload
rm -f /etc/systemd/system/k3s.service /etc/systemd/system/k3s.service.env
for name in kubectl crictl ctr; do
  [ ! -L "/usr/local/bin/$name" ] || rm -f "/usr/local/bin/$name"
done
rm -rf /etc/rancher/k3s /run/k3s /run/flannel /var/lib/rancher/k3s /var/lib/kubelet
rm -f /usr/local/bin/k3s /usr/local/bin/k3s-killall.sh /usr/local/bin/k3s-uninstall.sh
EOF
chmod 755 "$BIN_DIR/k3s-killall.sh" "$BIN_DIR/k3s-uninstall.sh"
(umask 077 && : >"$SYSTEMD_DIR/k3s.service.env")
cat >"$SYSTEMD_DIR/k3s.service" <<EOF
[Unit]
Description=Lightweight Kubernetes
[Install]
WantedBy=multi-user.target
[Service]
Type=notify
EnvironmentFile=-$SYSTEMD_DIR/k3s.service.env
Restart=always
ExecStart=$BIN_DIR/k3s \\
    ${INSTALL_K3S_EXEC:-server}
EOF
[ "${INSTALL_K3S_SKIP_ENABLE:-}" = true ] || systemctl enable k3s
systemctl daemon-reload
[ "${INSTALL_K3S_SKIP_START:-}" = true ] || systemctl restart k3s
