import { describe, expect, it } from "vitest";
import { OkeKeys } from "../../../../components/cluster/oke/keys";
import { deploy, resolved } from "../../../harness/deploy";
import { settings } from "./fixture";

const VAULT = "oci:Kms/vault:Vault";
const KEY = "oci:Kms/key:Key";

async function keysOf(changes: Parameters<typeof settings>[0] = {}, preview = false) {
  let keys: OkeKeys | undefined;
  const deployment = await deploy(
    () => {
      keys = new OkeKeys("cluster-keys", { settings: settings(changes) });
    },
    { preview },
  );
  return { deployment, keys: keys as unknown as OkeKeys };
}

describe("OkeKeys", () => {
  it("makes a vault and a key for each purpose, in hardware, and keeps them when all else is destroyed", async () => {
    const { deployment, keys } = await keysOf();
    const tags = { "inference-stacks-environment": "test" };
    expect(deployment.resource(VAULT, "cluster-keys-vault").inputs).toEqual({
      compartmentId: "ocid1.compartment.oc1..c",
      displayName: "test-vault",
      vaultType: "DEFAULT",
      freeformTags: tags,
    });
    for (const of of ["secrets", "volumes"]) {
      expect(deployment.resource(KEY, `cluster-keys-${of}`).inputs).toMatchObject({
        compartmentId: "ocid1.compartment.oc1..c",
        displayName: `test-${of}`,
        keyShape: { algorithm: "AES", length: 32 },
        protectionMode: "HSM",
        freeformTags: tags,
      });
    }
    const kept = [...deployment.ofType(VAULT), ...deployment.ofType(KEY)];
    expect(kept).toHaveLength(3);
    for (const { options } of kept) {
      expect(options).toMatchObject({ protect: true, retainOnDelete: true });
    }
    expect(await resolved(keys.secretsKeyId)).toBe("cluster-keys-secrets-id");
    expect(await resolved(keys.volumesKeyId)).toBe("cluster-keys-volumes-id");
    expect(keys.compartmentId).toBe("ocid1.compartment.oc1..c");
  });

  it("plans the same before anything exists", async () => {
    const { deployment } = await keysOf({}, true);
    expect(deployment.tree()).toBe((await keysOf()).deployment.tree());
  });

  it("takes a key of the environment's, and makes none", async () => {
    const encryptionKeyId = "ocid1.key.oc1..k";
    const { deployment, keys } = await keysOf({ encryptionKeyId });
    expect([...deployment.ofType(VAULT), ...deployment.ofType(KEY)]).toEqual([]);
    expect(await resolved(keys.secretsKeyId)).toBe(encryptionKeyId);
    expect(await resolved(keys.volumesKeyId)).toBe(encryptionKeyId);
    expect(keys.compartmentId).toBe("ocid1.compartment.oc1..c");
  });

  it("knows the compartment of a key that others keep", async () => {
    const { keys } = await keysOf({
      encryptionKeyId: "ocid1.key.oc1..k",
      encryptionKeyCompartmentId: "ocid1.compartment.oc1..security",
    });
    expect(keys.compartmentId).toBe("ocid1.compartment.oc1..security");
  });
});
