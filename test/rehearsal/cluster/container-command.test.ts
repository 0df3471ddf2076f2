import { expect, it } from "vitest";
import { containerCommand } from "../../../rehearsal/cluster/kubelet/container";

it("a container joins its pod's network, mounts what others do not see, and has its own environment alone", () => {
  const [program, args] = containerCommand({
    network: "42",
    root: "/tmp/root",
    mounts: [{ source: "/tmp/volume", target: "/models" }],
    env: { MODEL: "chat" },
    command: ["/usr/bin/engine", "--port", "8000"],
  });
  const [script] = args.filter((arg) => arg.startsWith("set -e"));
  const before = ["--net=/proc/42/ns/net", "unshare", "--mount", "--propagation=private", "/bin/sh", "-c", script];
  const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  expect([program, ...args]).toEqual([
    "nsenter",
    ...before,
    ...["container", "/tmp/root", "1", "/tmp/volume", "/models"],
    ...["/usr/bin/env", "-i", path, "HOME=/tmp", "MODEL=chat"],
    ...["/usr/bin/engine", "--port", "8000"],
  ]);
});
