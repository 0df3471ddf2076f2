import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { kubectl, NO_KUBECTL } from "../../../stacks/chart-definitions/kubectl";

const CONTENT = "apiVersion: v1\nkind: Config\n";
let folder = "";

/** Plays kubectl with a line of shell. */
function play(line: string): void {
  const file = join(folder, "kubectl");
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

describe("kubectl of the machine that deploys", () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "played-kubectl-"));
    vi.stubEnv("PATH", [folder, process.env.PATH].join(delimiter));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it("gets a kubeconfig's content in a file that is its owner's alone, and gone afterwards", async () => {
    play('echo "$KUBECONFIG"; ls -l "$KUBECONFIG"; cat "$KUBECONFIG" -; echo "$@"');
    const printed = await kubectl({ kubeconfig: CONTENT, context: "prod" }, ["apply", "-f", "-"], "definitions\n");
    const [file = "", mode, ...rest] = printed.split("\n");
    expect(mode).toMatch(/^-rw------- /);
    expect(rest.join("\n")).toBe(`${CONTENT}definitions\n--context prod apply -f -\n`);
    expect(existsSync(file)).toBe(false);
  });

  it("gets paths as they are, and none where it finds its own", async () => {
    vi.stubEnv("KUBECONFIG", "/home/own");
    play('printf %s "$KUBECONFIG"');
    expect(await kubectl({ kubeconfig: "/etc/a:/etc/b" }, ["get"])).toBe("/etc/a:/etc/b");
    expect(await kubectl({}, ["get"])).toBe("/home/own");
  });

  it("that fails is quoted, and one that is not there named", async () => {
    play("cat > /dev/null; echo 'Error from server: refused' >&2; exit 1");
    await expect(kubectl({}, ["apply"], "x".repeat(2 ** 20))).rejects.toThrow(/^Error from server: refused$/);
    rmSync(join(folder, "kubectl"));
    vi.stubEnv("PATH", folder);
    await expect(kubectl({}, ["apply"])).rejects.toThrow(NO_KUBECTL);
  });
});
