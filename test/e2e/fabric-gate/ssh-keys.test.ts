/** The keys of a trial, read by the real ssh-keygen. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { trialKeys } from "../../../components/gpu/ssh-keys";
import { requirePart } from "../../../rehearsal/parts/find";

/** It comes with the client, and cannot say its version itself. */
const SSH_KEYGEN = join(dirname(requirePart("ssh")), "ssh-keygen");
const SECRET = "x".repeat(47);

function publicKeyOf(privateKey: string): string {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  try {
    const file = join(folder, "key");
    writeFileSync(file, privateKey, { mode: 0o600 });
    const [type, key] = execFileSync(SSH_KEYGEN, ["-y", "-f", file], { encoding: "utf8" }).trim().split(" ");
    return `${type} ${key}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("keys of a trial", () => {
  it("are pairs: ssh-keygen finds in the private ones what the other end is told to trust", () => {
    for (const secret of [`${SECRET}a`, `${SECRET}b`]) {
      const { client, host, authorizedKeys, knownHosts } = trialKeys(secret);
      expect(authorizedKeys).toBe(`restrict ${publicKeyOf(client)} client\n`);
      expect(knownHosts).toBe(`* ${publicKeyOf(host)}\n`);
      expect(client).not.toBe(host);
    }
  });
});
