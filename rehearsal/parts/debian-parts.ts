import type { Part } from "./part";

/** Programs from Debian packages, which install in seconds. */
export const DEBIAN_PARTS = [
  {
    name: "prometheus",
    from: "debian",
    binaries: { promtool: "prometheus", prometheus: "prometheus" },
    versionArgs: ["--version"],
    oldest: "2.42.0",
  },
  {
    name: "alertmanager",
    from: "debian",
    binaries: { amtool: "prometheus-alertmanager", "prometheus-alertmanager": "prometheus-alertmanager" },
    versionArgs: ["--version"],
    oldest: "0.25.0",
  },
  {
    name: "redis",
    from: "debian",
    binaries: { "redis-server": "redis-server" },
    versionArgs: ["--version"],
    oldest: "6.2.0",
  },
  {
    // Resizable terminal whose screen can be read.
    name: "tmux",
    from: "debian",
    binaries: { tmux: "tmux" },
    versionArgs: ["-V"],
  },
  {
    // Network namespaces and addresses of local pods.
    name: "iproute2",
    from: "debian",
    binaries: { ip: "iproute2" },
    versionArgs: ["-V"],
    oldest: "5.10.0",
  },
  {
    // Checks scripts of nodes and Jobs.
    name: "shellcheck",
    from: "debian",
    binaries: { shellcheck: "shellcheck" },
    versionArgs: ["--version"],
    oldest: "0.9.0",
  },
  {
    // SSH-installed machines in namespaces; this machine's server is not used.
    name: "openssh-server",
    from: "debian",
    binaries: { sshd: "openssh-server" },
    versionArgs: ["-V"],
    oldest: "8.5",
  },
  {
    // Includes ssh-keygen, which prints no version.
    name: "openssh-client",
    from: "debian",
    binaries: { ssh: "openssh-client" },
    versionArgs: ["-V"],
    oldest: "8.5",
  },
  {
    name: "make",
    from: "debian",
    binaries: { make: "make" },
    versionArgs: ["--version"],
    // What macOS has.
    oldest: "3.81",
  },
  {
    name: "sudo",
    from: "debian",
    binaries: { sudo: "sudo" },
    versionArgs: ["--version"],
    oldest: "1.9.0",
  },
  {
    // Its shell is some machines' sh.
    name: "busybox",
    from: "debian",
    binaries: { busybox: "busybox" },
    versionArgs: ["--help"],
    oldest: "1.30.0",
  },
  {
    // For its schema of node boot data. Its services need a cloud.
    name: "cloud-init",
    from: "debian",
    binaries: { "cloud-init": "cloud-init" },
    versionArgs: ["--version"],
    oldest: "22.4.0",
  },
] as const satisfies readonly Part[];
