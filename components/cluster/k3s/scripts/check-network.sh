#!/bin/sh
# Ports, routes and firewalls.

check_network() {
  [ -n "$ours" ] || check_ports
  has_default_route ||
    problem "it has no default route, without which k3s finds no address for its node" "Add one; without internet: ip link add dummy0 type dummy && ip link set dummy0 up && ip route add default dev dummy0 metric 1000, kept over boots"
  opened="6443/tcp, and 80/tcp and 443/tcp for the gateway; all from 10.42.0.0/16 and 10.43.0.0/16, which are pods and Services"
  if has ufw && ufw status 2>/dev/null | grep -q '^Status: active'; then
    note "its firewall ufw is on" "Open $opened (ufw allow)"
  fi
  if systemctl is-active --quiet firewalld 2>/dev/null; then
    note "its firewall firewalld is on" "Open $opened (firewall-cmd --permanent)"
  fi
}

# As Kubernetes looks for one (k8s.io/apimachinery v0.36, util/net/interface.go): any destination 0.0.0.0; of IPv6 a destination ::
# with a gateway, for every machine has an unreachable one of lo's without.
has_default_route() {
  grep -q '^[^	]*	00000000	' /proc/net/route 2>/dev/null ||
    grep -q '^0\{32\} [0-9a-f]\{2\} [0-9a-f]\{32\} [0-9a-f]\{2\} [0-9a-f]*[1-9a-f][0-9a-f]* ' /proc/net/ipv6_route 2>/dev/null
}

# The kernel's own list, which is there without any program: state 0A listens.
check_ports() {
  for port in 6443 6444 10248 10249 10250 10256 10257 10258 10259 80 443; do
    hex=$(printf '%04X' "$port")
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
      grep -q "^ *[0-9]*: [0-9A-F]*:$hex [0-9A-F]*:[0-9A-F]* 0A " || continue
    who=
    ! has ss || who=$(ss -Hltnp "sport = :$port" 2>/dev/null | sed -n 's/.*users:((\("[^"]*",pid=[0-9]*\).*/ by \1/p' | head -n 1)
    problem "port $port is taken$who" "k3s, or the gateway on it, needs it: end what listens there (ss -ltnp), or name another machine in cluster.hosts"
  done
}
