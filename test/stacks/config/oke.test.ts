import { describe, expect, it } from "vitest";
import { OKE_NEWEST } from "../../../catalog/oke";
import { told } from "./samples";

const OKE = {
  tenancyId: "ocid1.tenancy.oc1..t",
  compartmentId: "ocid1.compartment.oc1..c",
  region: "eu-frankfurt-1",
  kubernetesVersion: OKE_NEWEST["1.34"],
};

/** What is told of a cluster to make with these settings. */
const oke = (changes: Readonly<Record<string, unknown>>) =>
  told({ cluster: { kind: "oci", provision: "create", oke: { ...OKE, ...changes } } }, "cluster");

describe("an OKE cluster to make", () => {
  it("has a version that Envoy Gateway runs on", () => {
    expect(oke({})).toEqual([]);
    expect(oke({ kubernetesVersion: "v1.32.1" })).toEqual([
      expect.stringMatching(
        /^cluster\.oke\.kubernetesVersion is "v1\.32\.1"; allowed: a version of Kubernetes 1\.33 to 1\.36: Envoy Gateway 1\.9 runs on no other.*Write v1\.36/,
      ),
    ]);
    expect(oke({ kubernetesVersion: "v1.40.0" })).toHaveLength(1);
  });

  it("has a version that OKE still makes", () => {
    expect(oke({ kubernetesVersion: "v1.33.1" })).toEqual([
      expect.stringMatching(/OKE makes clusters with, as of .*: 1\.34, 1\.35, 1\.36.*one minor version at a time/),
    ]);
    for (const kubernetesVersion of Object.values(OKE_NEWEST)) {
      expect(oke({ kubernetesVersion })).toEqual([]);
    }
  });

  it("takes a key of its own region, whatever the region is called in it", () => {
    const key = (region: string) => oke({ encryptionKeyId: `ocid1.key.oc1.${region}.vault.key` });
    expect(key("eu-frankfurt-1")).toEqual([]);
    expect(key("fra")).toEqual([]);
    expect(key("us-ashburn-1")).toEqual([
      expect.stringMatching(/^cluster\.oke\.encryptionKeyId is .*a key of eu-frankfurt-1.*write region: us-ashburn-1/),
    ]);
  });

  it("says where a key is only of a key that exists", () => {
    const encryptionKeyCompartmentId = "ocid1.compartment.oc1..security";
    expect(oke({ encryptionKeyCompartmentId })).toEqual([
      expect.stringMatching(/^cluster\.oke\.encryptionKeyCompartmentId is .*only with encryptionKeyId/),
    ]);
    expect(oke({ encryptionKeyCompartmentId, encryptionKeyId: "ocid1.key.oc1.eu-frankfurt-1.v.k" })).toEqual([]);
  });
});
