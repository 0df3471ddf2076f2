import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bootFilePath, bootScript } from "../../components/cluster/oke/cloud-init/boot-part";
import { userData as bootDocument } from "../../components/cluster/oke/cloud-init/user-data";
import { okePool } from "../harness/oke-pools";
import { programRun } from "../stacks/run";
import { cloudInitSchema } from "./linters/cloud-init";
import { shellcheck } from "./linters/shellcheck";

/** The environments whose nodes are made here. */
const ENVIRONMENTS = ["oci-a10", "oci-h100"] as const;

/** Of pools that neither has: their machines are told the cluster that they join. */
const JOIN_BY_THEMSELVES = [
  okePool("BM.GPU.H100.8", { name: "h100", localDisks: true }, { madeBy: "cluster-network" }),
  okePool("VM.Standard.E5.Flex", { name: "confidential", confidential: true }, { madeBy: "instance-pool" }),
];
/** Of the other kinds of machines that node pools may have. */
const MORE_POOLS = [
  okePool("BM.GPU.MI300X.8", { name: "amd", localDisks: true, numa: "best-effort" }),
  okePool("VM.Standard.A1.Flex", { name: "arm" }),
  okePool("BM.GPU.GB200.4", { name: "arm-gpu", localDisks: true, numa: "best-effort" }),
];
const CLUSTER = { apiServer: "10.0.0.2", authority: "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n" };

const folder = mkdtempSync(join(tmpdir(), "linters-nodes-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface NodePoolInputs {
  readonly name: string;
  readonly nodeMetadata: { readonly user_data: string };
}

/** What nodes of each pool boot with, by environment and pool. */
const userData = new Map<string, string>();
beforeAll(async () => {
  for (const environment of ENVIRONMENTS) {
    const { deployment } = await programRun(environment);
    for (const { inputs } of deployment.ofType("oci:ContainerEngine/nodePool:NodePool")) {
      const { name, nodeMetadata } = inputs as unknown as NodePoolInputs;
      userData.set(`${environment} ${name}`, Buffer.from(nodeMetadata.user_data, "base64").toString("utf8"));
    }
  }
  for (const pool of MORE_POOLS) {
    userData.set(`node pool ${pool.plan.name}`, bootDocument(pool, "v1.34.2"));
  }
  for (const pool of JOIN_BY_THEMSELVES) {
    userData.set(`joins by itself ${pool.plan.name}`, bootDocument(pool, "v1.34.2", CLUSTER));
  }
}, 120_000);

function written(name: string, text: string): string {
  const path = join(folder, name.replaceAll(" ", "-"));
  writeFileSync(path, text);
  return path;
}

describe("what nodes boot with", () => {
  it("is there for every pool", () => {
    expect([...userData.keys()].sort()).toEqual([
      "joins by itself confidential",
      "joins by itself h100",
      "node pool amd",
      "node pool arm",
      "node pool arm-gpu",
      "oci-a10 a10",
      "oci-a10 a10-pair",
      "oci-a10 system",
      "oci-h100 a10",
      "oci-h100 h100",
      "oci-h100 system",
    ]);
  });

  it("is a cloud-config by cloud-init's own schema", async () => {
    for (const [pool, text] of userData) {
      expect({ pool, found: await cloudInitSchema(written(`${pool}.yaml`, text)) }).toEqual({ pool, found: [] });
    }
  });

  it("runs scripts of this repository that shellcheck has nothing against", async () => {
    const scripts = new Map<string, Set<string>>();
    for (const text of userData.values()) {
      const { write_files } = JSON.parse(text.replace(/^#cloud-config\n/, "")) as {
        write_files: { path: string; content: string }[];
      };
      for (const { path, content } of write_files.filter((file) => file.path.endsWith(".sh"))) {
        scripts.set(basename(path), (scripts.get(basename(path)) ?? new Set()).add(content));
      }
    }
    expect([...scripts.keys()].sort()).toEqual(["join-oke.sh", "kubelet-cpus.sh", "local-disks.sh"]);
    for (const [script, contents] of scripts) {
      // The same one for all pools, so that one run tells.
      expect(contents).toEqual(new Set([bootScript(script).content]));
      expect({ script, found: await shellcheck(bootFilePath(script)) }).toEqual({ script, found: [] });
    }
  });
});

describe("the linters of these tests", () => {
  it("find a word that is split, and a program that goes on after a failed cd", async () => {
    const bad = written("bad.sh", "#!/bin/bash\nset -eu\ncd $1\nfor each in $(ls *.txt); do rm $each; done\n");
    expect((await shellcheck(bad)).map(({ code }) => code)).toEqual(expect.arrayContaining([2045, 2086]));
  });

  it("find a command that is no list, and a file without a path", async () => {
    const bad = written("bad.yaml", '#cloud-config\n{"runcmd": 5, "write_files": [{"content": "x"}]}\n');
    const found = (await cloudInitSchema(bad)).join("\n");
    expect(found).toContain("runcmd: 5 is not of type 'array'");
    expect(found).toContain("'path' is a required property");
  });
});
