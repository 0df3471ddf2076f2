import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectedProbe } from "../../../components/rancher/connected-probe";

const ESTABLISHED = "01";
const CLOSING = "06";
/** Of 10.43.0.1, 192.168.1.31 and fd12::5, as the kernel writes them. */
const API = "01002B0A";
const SERVER = "1F01A8C0";
const SERVER_IPV6 = "000012FD000000000000000005000000";

const HEADER = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
const row = (remote: string, state: string) =>
  `   0: 0500F40A:8F3A ${remote} ${state} 00000000:00000000 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "probe-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function statusOf(url: string, ipv4: readonly string[], ipv6?: readonly string[]): number | null {
  writeFileSync(join(folder, "tcp"), `${[HEADER, ...ipv4].join("\n")}\n`);
  rmSync(join(folder, "tcp6"), { force: true });
  if (ipv6 !== undefined) {
    writeFileSync(join(folder, "tcp6"), `${[HEADER, ...ipv6].join("\n")}\n`);
  }
  const [command = "", ...args] = connectedProbe({ url }, folder);
  return spawnSync(command, args, { env: { PATH: process.env.PATH ?? "", KUBERNETES_SERVICE_HOST: "10.43.0.1" } })
    .status;
}

describe("the probe of Rancher's agent", () => {
  const url = "https://rancher.example.com";

  it("succeeds while a connection to the server's port is established", () => {
    expect(statusOf(url, [row(`${SERVER}:01BB`, ESTABLISHED)])).toBe(0);
    expect(statusOf(`${url}:8443`, [row(`${SERVER}:20FB`, ESTABLISHED)])).toBe(0);
    expect(statusOf(url, [], [row(`${SERVER_IPV6}:01BB`, ESTABLISHED)])).toBe(0);
  });

  it("fails once it has ended, and takes the Kubernetes API's for no connection to the server", () => {
    expect(statusOf(url, [])).toBe(1);
    expect(statusOf(url, [row(`${SERVER}:01BB`, CLOSING)], [])).toBe(1);
    expect(statusOf(url, [row(`${API}:01BB`, ESTABLISHED)])).toBe(1);
    expect(statusOf(`${url}:8443`, [row(`${SERVER}:01BB`, ESTABLISHED)])).toBe(1);
  });
});
