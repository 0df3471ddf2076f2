import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "../../../names/repository-root";
import { requirePart } from "../../../rehearsal/parts/find";
import { packetsWithoutRoute } from "./packets-without-route";

export interface IsolationOptions {
  /** Milliseconds. @default 120_000 */
  readonly timeoutMs?: number;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What a command did in a network that consists of the loopback interface. */
export interface Isolated {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /**
   * Packets that the kernel had no route for, its own and those of machines behind it: attempts to reach another machine.
   */
  readonly withoutRoute: number;
  /** Names that it asked the resolver for. */
  readonly asked: readonly string[];
}

/**
 * A resolver that answers nothing and writes down the names it is asked for. Of a query only the labels of the first
 * question are read (RFC 1035, 4.1.2).
 */
const RESOLVER = `
const names = [];
const server = require("node:dgram").createSocket("udp4");
server.on("message", (query, from) => {
  const labels = [];
  for (let at = 12; query[at] > 0; at += query[at] + 1) {
    labels.push(query.toString("latin1", at + 1, at + 1 + query[at]));
  }
  names.push(labels.join("."));
  require("node:fs").writeFileSync(process.argv[1], JSON.stringify(names));
  // NXDOMAIN, so that nobody waits.
  const answer = Buffer.from(query);
  answer[2] |= 0x80;
  answer[3] = 0x83;
  server.send(answer, from.port, from.address);
});
server.bind(53, "127.0.0.1", () => require("node:fs").writeFileSync(process.argv[1], "[]"));
`;

/**
 * Runs a command in a network namespace of its own: only the loopback interface is up, there is no route, and names are
 * asked of a resolver there. Needs root.
 */
export async function withoutRoute(
  command: string,
  args: readonly string[],
  { timeoutMs = 120_000, env = {} }: IsolationOptions = {},
): Promise<Isolated> {
  const folder = mkdtempSync(join(tmpdir(), "without-route-"));
  try {
    const file = (name: string) => join(folder, name);
    writeFileSync(file("resolv.conf"), "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
    writeFileSync(file("resolver.cjs"), RESOLVER);
    writeFileSync(
      file("run.sh"),
      `set -eu
ip=$1; folder=$2; shift 2
"$ip" link set lo up
mount --bind "$folder/resolv.conf" /etc/resolv.conf
node -e "$(cat "$folder/resolver.cjs")" "$folder/names.json" &
resolver=$!
until [ -s "$folder/names.json" ]; do sleep 0.1; done
status=0
"$@" >"$folder/out" 2>"$folder/err" || status=$?
echo "$status" >"$folder/status"
cat /proc/net/snmp >"$folder/snmp"
cat /proc/net/snmp6 >"$folder/snmp6"
cat /proc/net/netstat >"$folder/netstat"
kill "$resolver"
`,
    );
    await promisify(execFile)(
      "unshare",
      ["--net", "--mount", "sh", file("run.sh"), requirePart("ip"), folder, command, ...args],
      { cwd: repositoryRoot(), timeout: timeoutMs, env: { ...process.env, ...env } },
    );
    const read = (name: string) => readFileSync(file(name), "utf8");
    return {
      status: Number(read("status")),
      out: read("out"),
      err: read("err"),
      withoutRoute: packetsWithoutRoute(read),
      asked: JSON.parse(read("names.json")) as string[],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
