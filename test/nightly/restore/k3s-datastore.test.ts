/**
 * The datastore of k3s is copied, lost and brought back by the lines of docs/backup.md. What k3s has in its server's folder is the same
 * here: kine's file by its own defaults, and the key that Secrets are encrypted with. systemctl is played: kine and the API server are k3s.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { repositoryRoot } from "../../../names/repository-root";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { Program } from "../../../rehearsal/cluster/lifeline";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { blocksBelow, shell } from "./runbook-shell";

const VALUE = "hf_valueOfTheSecret";

describe("a machine whose datastore of k3s is lost", { timeout: 600_000 }, () => {
  const machine = mkdtempSync(join(tmpdir(), "inference-stacks-k3s-"));
  const server = join(machine, "k3s", "server");
  const [copy = [], goBack = []] = blocksBelow(
    readFileSync(join(repositoryRoot(), "docs", "backup.md"), "utf8"),
    "## Datastore of k3s",
  );
  let kine: Program;
  let plane: ControlPlane;

  beforeAll(async () => {
    for (const folder of [join(server, "cred"), join(server, "logs"), join(machine, "backups")]) {
      mkdirSync(folder, { recursive: true });
    }
    writeFileSync(join(server, "cred", "encryption-config.json"), JSON.stringify(encryption()));
    const [port = 0] = await freePorts(1);
    kine = new Program(
      requirePart("kine"),
      [`--listen-address=127.0.0.1:${port}`, "--metrics-bind-address=0"],
      join(machine, "kine.log"),
      { cwd: server },
    );
    plane = await ControlPlane.start({
      datastore: `http://127.0.0.1:${port}`,
      serverArgs: [`--encryption-provider-config=${join(server, "cred", "encryption-config.json")}`],
    });
  }, 120_000);
  afterAll(async () => {
    await plane?.stop();
    await kine?.stop();
    rmSync(machine, { recursive: true, force: true });
  });

  const systemctl = async (verb: string): Promise<void> => {
    if (verb === "stop") {
      await plane.killApiServer();
      await kine.terminate();
    } else {
      kine.restart();
      await plane.restartApiServer();
    }
  };

  /** Runs the page's lines, with this machine's folders in place of its own, and the umask that they begin with in each. */
  const run = async (lines: readonly string[]): Promise<void> => {
    const masks = lines.filter((line) => line.startsWith("umask "));
    for (const line of lines.filter((each) => !masks.includes(each))) {
      const [, verb] = /^systemctl (stop|start) k3s$/.exec(line) ?? [];
      if (verb !== undefined) {
        await systemctl(verb);
      } else {
        const here = line
          .replaceAll("/var/lib/rancher/k3s", join(machine, "k3s"))
          .replaceAll("/var/lib/inference-stacks", machine);
        const { status, output } = await shell([...masks, here].join("; "), plane);
        expect([line, status, output]).toEqual([line, 0, ""]);
      }
    }
  };

  const objects: readonly KubernetesObject[] = [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kept", namespace: "default" }, data: { key: "value" } },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "kept", namespace: "default" },
      stringData: { token: VALUE },
    },
  ];
  const later: KubernetesObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "later", namespace: "default" },
  };
  const living = () => Promise.all(objects.map((object) => plane.client.get(object)));

  it("has its Secrets encrypted in the copy, beside their key", async () => {
    for (const object of objects) {
      await plane.client.create(object);
    }
    await run(copy);
    const file = join(machine, "backups", "nightly.tar");
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    const tar = readFileSync(file);
    expect(tar.includes("/registry/secrets/default/kept")).toBe(true);
    expect(tar.includes(VALUE)).toBe(false);
    expect(tar.includes("cred/encryption-config.json")).toBe(true);
  });

  it("has nothing of before when k3s starts on an empty folder", async () => {
    await plane.client.create(later);
    await systemctl("stop");
    rmSync(join(server, "db"), { recursive: true });
    await systemctl("start");
    expect(await living()).toEqual([undefined, undefined]);
  });

  it("has every object of the copy again, and none that was made since", async () => {
    await run(goBack);
    const [configMap, secret] = await living();
    expect(configMap).toMatchObject({ data: { key: "value" } });
    expect(secret).toMatchObject({ data: { token: Buffer.from(VALUE).toString("base64") } });
    expect(await plane.client.get(later)).toBeUndefined();
  });

  it("takes further changes", async () => {
    await plane.client.create(later);
    expect(await plane.client.get(later)).toBeDefined();
  });
});

/** As k3s with secrets-encryption-provider: secretbox has it (components/cluster/k3s/k3s-config.ts). */
function encryption(): object {
  const secretbox = { keys: [{ name: "key", secret: randomBytes(32).toString("base64") }] };
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    resources: [{ resources: ["secrets"], providers: [{ secretbox }, { identity: {} }] }],
  };
}
