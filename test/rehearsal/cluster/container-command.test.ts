import { afterEach, expect, it, vi } from "vitest";
import { containerCommand } from "../../../rehearsal/cluster/kubelet/container";
import { cacheFolder } from "../../../rehearsal/parts/cache";

afterEach(() => vi.unstubAllEnvs());

it("a container joins its pod's network, mounts what others do not see, and has its own environment alone", () => {
  vi.stubEnv("XDG_CACHE_HOME", "/home/someone/.cache");
  const [program, args] = containerCommand({
    network: "42",
    root: "/tmp/root",
    mounts: [{ source: "/tmp/volume", target: "/models" }],
    env: { MODEL: "chat" },
    command: ["/usr/bin/engine", "--port", "8000"],
  });
  const [script] = args.filter((arg) => arg.startsWith("set -e"));
  const before = ["--net=/proc/42/ns/net", "unshare", "--mount", "--propagation=private", "/bin/sh", "-c", script];
  const path = "PATH=/run/commands:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  expect([program, ...args]).toEqual([
    "nsenter",
    ...before,
    ...["container", "/tmp/root", "", "", "1", "/tmp/volume", "/models"],
    ...["/usr/bin/env", "-i", path, "HOME=/tmp", "MODEL=chat"],
    ...["/usr/bin/engine", "--port", "8000"],
  ]);
});

it("a container finds installed parts below a folder that is empty for it", () => {
  vi.stubEnv("XDG_CACHE_HOME", "/tmp/cache");
  const parts = cacheFolder();
  expect(parts).toMatch(/^\/tmp\/cache\//);
  const mounts = [{ source: "/pods/volume", target: "/tmp" }];
  const command = [`${parts}/envoy-1.40.0/bin/envoy`];
  const [, args] = containerCommand({ network: "42", root: "/tmp/root", mounts, env: {}, command });
  const from = args.indexOf("2");
  expect(args.slice(from + 1, from + 5)).toEqual(["/pods/volume", "/tmp", parts, parts]);
});
