import type { Part } from "./part";

/** Programs of Debian's packages, which install in seconds. */
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
    // A terminal that is resized and read back.
    name: "tmux",
    from: "debian",
    binaries: { tmux: "tmux" },
    versionArgs: ["-V"],
  },
  {
    // Network namespaces with addresses, for pods that run here.
    name: "iproute2",
    from: "debian",
    binaries: { ip: "iproute2" },
    versionArgs: ["-V"],
    oldest: "5.10.0",
  },
  {
    // Of the scripts that nodes and Jobs run.
    name: "shellcheck",
    from: "debian",
    binaries: { shellcheck: "shellcheck" },
    versionArgs: ["--version"],
    oldest: "0.9.0",
  },
  {
    // For machines that are installed over SSH. Each has a server of its own in namespaces; this machine's is left alone.
    name: "openssh-server",
    from: "debian",
    binaries: { sshd: "openssh-server" },
    versionArgs: ["-V"],
    oldest: "8.5",
  },
  {
    // With ssh-keygen, which prints no version.
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
    // For its shell, which some machines have as sh.
    name: "busybox",
    from: "debian",
    binaries: { busybox: "busybox" },
    versionArgs: ["--help"],
    oldest: "1.30.0",
  },
  {
    // For its schema of what nodes boot with. Its services look for a cloud at the next boot, and rest where there is none.
    name: "cloud-init",
    from: "debian",
    binaries: { "cloud-init": "cloud-init" },
    versionArgs: ["--version"],
    oldest: "22.4.0",
  },
] as const satisfies readonly Part[];
