/** Scripts that this repository runs on machines of others: linted, and read by every shell that may be their sh. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type HostScript, standardInput } from "../../components/cluster/k3s/host-script";
import { repositoryRoot } from "../../names/repository-root";
import { requirePart } from "../../rehearsal/parts/find";
import { resolved } from "../harness/deploy";
import { shellcheck } from "./linters/shellcheck";

const TIMEOUT_MS = 120_000;
const components = join(repositoryRoot(), "components");
const folder = mkdtempSync(join(tmpdir(), "linters-scripts-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every script there is, so that a new one is looked at by itself. */
const SCRIPTS = readdirSync(components, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".sh"))
  .sort();
const OF_POSIX = SCRIPTS.filter((path) => readFileSync(join(components, path), "utf8").startsWith("#!/bin/sh\n"));

/** Those for a machine over SSH, as they are sent: parts put together, and what they are told. */
const SENT = ["host-checks", "k3s", "kubeconfig"] as const satisfies readonly HostScript[];

async function sent(script: HostScript): Promise<string> {
  const path = join(folder, `${script}.sh`);
  writeFileSync(path, await resolved(standardInput(script, { values: { NODE: "workstation" } })));
  return path;
}

/** Reads a script, and runs nothing of it: what each shell has against it, undefined where it has nothing. */
function refusals(path: string): Promise<(string | undefined)[]> {
  const shells = [
    ["dash", "-n"],
    [requirePart("busybox"), "sh", "-n"],
  ] as const;
  return Promise.all(
    shells.map(
      ([shell, ...options]) =>
        new Promise<string | undefined>((done) => {
          execFile(shell, [...options, path], (error) => done(error?.message));
        }),
    ),
  );
}

describe("scripts for machines of others", () => {
  it("are looked at, all of them", () => {
    for (const path of ["cluster/k3s/scripts/k3s.sh", "cluster/local/scripts/local-cluster.sh"]) {
      expect(OF_POSIX).toContain(path);
    }
    expect(SCRIPTS.filter((path) => path.startsWith("cluster/k3s/") && !OF_POSIX.includes(path))).toEqual([]);
  });

  it.each([...SCRIPTS, join("..", ".github", "rendered-pull-request.sh")])(
    "%s: shellcheck has nothing against it",
    { timeout: TIMEOUT_MS },
    async (path) => {
      expect(await shellcheck(join(components, path))).toEqual([]);
    },
  );

  it.each(SENT)("%s as it is sent: shellcheck has nothing against it", { timeout: TIMEOUT_MS }, async (script) => {
    expect(await shellcheck(await sent(script))).toEqual([]);
  });

  it.each(OF_POSIX)("%s is read by dash and by busybox", { timeout: TIMEOUT_MS }, async (path) => {
    expect(await refusals(join(components, path))).toEqual([undefined, undefined]);
  });

  it.each(SENT)("%s as it is sent is read by dash and by busybox", { timeout: TIMEOUT_MS }, async (script) => {
    expect(await refusals(await sent(script))).toEqual([undefined, undefined]);
  });

  it("would be refused by both for an array, which is of bash", { timeout: TIMEOUT_MS }, async () => {
    const path = join(folder, "bad.sh");
    writeFileSync(path, "#!/bin/sh\nports=(80 443)\n");
    const found = await refusals(path);
    expect(found.map((said) => /syntax error/i.test(said ?? ""))).toEqual([true, true]);
    expect((await shellcheck(path)).map(({ code }) => code)).toContain(3030);
  });
});
