import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { policies } from "../../policies/all";
import { evaluatePolicies, type RecordedInputs } from "../../policies/evaluate";
import { container, deployment, object, podSpec, release, resource } from "./cases";

const repeated = (part: string) => (length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const random = (encoding: "base64url" | "hex") => (length: number) =>
  Array.from({ length: Math.ceil(length / 43) }, (_, index) => createHash("sha256").update(`${index}`).digest(encoding))
    .join("")
    .slice(0, length);

/** Beginnings that make policies look closer, and what follows in any length. */
const TEXTS: readonly (readonly [start: string, rest: (length: number) => string, end?: string])[] = [
  ["", random("base64url")],
  ["", random("hex")],
  ['x: "', repeated("\\")],
  ["", repeated(",*")],
  ["volumes: [\n{{ if x }}", repeated("{{a}}"), "x\n]"],
  ["volumes: [\n{{", repeated("{{ ")],
  ["volumes: [\n{{", repeated("}} ")],
  ["volumes: ", repeated("[")],
  ["volumes: ", repeated("{")],
  ["volumes: ", repeated("- ")],
  ["containers: ", repeated("{a: ")],
  ["", repeated('{"verify":')],
  ["verify ", repeated("a")],
  ["skip_verify ", repeated("a.")],
  ["--skip-", repeated("tls-")],
  ["verify", repeated(" "), "x"],
  ["", repeated("\n "), "apiVersion"],
  ["insecure=1 ", repeated("A")],
  ["insecure_", repeated("a-")],
  ["INSECURE_", repeated("A_")],
  ["verify ", repeated('"')],
  ["--", repeated("anonymous-")],
  ["", repeated("-----BEGIN CERTIFICATE-----")],
  ["", repeated("eyJaaaaaaaaaaaaa-")],
  ["", repeated("sk-")],
  ["sk-", repeated("a")],
  ["", repeated("?token=")],
  ["", repeated("a+")],
  ["", repeated("authorization:")],
  ["", repeated("Bearer ")],
  ["", repeated("curl ")],
  ["curl a ", repeated("| ")],
  ["", repeated("kubectl ")],
  ["", repeated("pip a ")],
  ["", repeated(";/")],
  ["curl -o b a\n", repeated("curl -o a b\n")],
];

function hostile(content: string): RecordedInputs[] {
  return [
    ...[object("core/v1", "ConfigMap", { data: { "a.conf": content } })],
    deployment(podSpec({ containers: [container({ command: ["sh", "-c"], args: [content] })] })),
    release({ values: { config: content } }),
    resource("command:local:Command", { create: content }),
  ];
}

const judged = (content: string) => evaluatePolicies(hostile(content), { project: "p", stack: "s", policies });

/** CPU time: what else runs on the machine does not count. */
function milliseconds(content: string): number {
  const start = process.cpuUsage();
  judged(content);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Below it, a measured time says nothing about growth. */
const FLOOR_MS = 500;

const CASES = TEXTS.map(([start, rest, end = ""]) => ({
  name: JSON.stringify(start + rest(20) + end),
  start,
  rest,
  end,
}));

test.each(CASES)("$name takes no more time than in proportion", { timeout: 240_000 }, ({ start, rest, end }) => {
  const time = (length: number) => milliseconds(start + rest(length) + end);
  const short = time(25_000);
  const long = time(100_000);
  // Four times the length: 4 in proportion, 16 in its square.
  expect(long).toBeLessThan(Math.max(FLOOR_MS, 8 * short));
});

test.each([
  ["{", "nested deeper than"],
  ["[", "nested deeper than"],
  ["- ", "nested deeper than"],
  [`a${" ".repeat(20)}`, "longer than"],
])("a text of many %j is left undecided, with the reason", (part, reason) => {
  const text = `volumes: ${part.repeat(100_000)}`;
  expect(judged(text).undecided.filter((each) => each.reason.includes(reason))).not.toEqual([]);
});

test("what a text of ordinary depth holds is decided", () => {
  const nested = `volumes: ${"[".repeat(100)}${"]".repeat(100)}\n# ${"-".repeat(300)}\n`;
  expect(judged(nested).undecided.filter((each) => each.reason.includes("a text"))).toEqual([]);
});
