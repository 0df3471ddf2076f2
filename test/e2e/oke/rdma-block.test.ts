import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootFilePath } from "../../../components/cluster/oke/cloud-init/boot-part";
import { NodeRoot, type ScriptOutcome } from "./node-root";

const FILE = "/kubelet-arguments";
const BEFORE = "--register-with-taints=nvidia.com/gpu=present:NoSchedule\n";
const LABEL = "oci.oraclecloud.com/rdma.local_block_id";

let root: NodeRoot;
beforeEach(() => {
  root = new NodeRoot();
  root.write(FILE, BEFORE);
});
afterEach(() => root.remove());

function run(): Promise<ScriptOutcome> {
  const args = [root.path(FILE), LABEL, "customerLocalBlock", "rackId"];
  return root.run(bootFilePath("rdma-block.sh"), args, { BLOCK_ATTEMPTS: "2", BLOCK_PAUSE_SECONDS: "0" });
}

/** A metadata service with these documents. */
function answers(topology: string, host: string): void {
  const answer = (text: string) => (text === "" ? "exit 22" : `printf %s '${text}'`);
  root.program("curl", `case "$*" in *rdmaTopologyData) ${answer(topology)} ;; *) ${answer(host)} ;; esac`);
}

const added = () => root.read(FILE).replace(BEFORE, "");

describe("the block of a machine", () => {
  it("is the end of what its capacity topology says", async () => {
    const id = "ocid1.computelocalblock.oc1.iad.anuwcljrg5pyaeyc4tjxbt4s6ua";
    answers(`{\n  "customerHPCIslandId" : "ocid1.x",\n  "customerLocalBlock" : "${id}"\n}`, '{"rackId":"other"}');
    expect(await run()).toMatchObject({ status: 0, said: expect.stringContaining("its block is 4tjxbt4s6ua") });
    expect(added()).toBe(`--node-labels=${LABEL}=4tjxbt4s6ua\n`);
    await run();
    expect(added()).toBe(`--node-labels=${LABEL}=4tjxbt4s6ua\n`);
  });

  it("is its rack where it has no capacity topology", async () => {
    answers("", '{"availabilityDomain":"x","rackId":"rack-7","id":"h"}');
    await run();
    expect(added()).toBe(`--node-labels=${LABEL}=rack-7\n`);
  });

  it("is nothing where nobody says it, and keeps no machine from joining", async () => {
    answers("", "");
    expect(await run()).toMatchObject({ status: 0, said: expect.stringContaining("names no block") });
    answers("", '{"id":"h"}');
    expect((await run()).status).toBe(0);
    expect(added()).toBe("");
  });
});
