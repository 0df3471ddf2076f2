import { describe, expect, it } from "vitest";
import { Authority, type AuthorityArgs } from "../../../components/certificates/authority";
import { crdProblems } from "../../harness/crds";
import { deploy } from "../../harness/deploy";

const ARGS: AuthorityArgs = {
  kind: "Issuer",
  authority: "house-ca",
  bootstrap: "house-self-signed",
  namespace: "house",
  commonName: "house",
  formerly: { bootstrap: "a", certificate: "b", issuer: "c" },
};

async function deployed(changes: Partial<AuthorityArgs> = {}) {
  const issuers: Authority["issuer"][] = [];
  const deployment = await deploy(() => issuers.push(new Authority("ca", { ...ARGS, ...changes }).issuer));
  const objects = ["ca-bootstrap", "ca-certificate", "ca-issuer"].map((name) => {
    const found = deployment.recording.resources.find((resource) => resource.name === name);
    if (found === undefined) {
      throw new Error(`no ${name}`);
    }
    return found.inputs;
  });
  return { issuer: issuers[0], objects };
}

describe("Authority", () => {
  it("has its certificate signed by an issuer that signs itself, and signs others with its key", async () => {
    const { issuer, objects } = await deployed();
    expect(objects.flatMap(crdProblems)).toEqual([]);
    expect(objects).toMatchObject([
      { kind: "Issuer", metadata: { name: "house-self-signed", namespace: "house" }, spec: { selfSigned: {} } },
      {
        kind: "Certificate",
        metadata: { name: "house-ca", namespace: "house" },
        spec: { isCA: true, secretName: "house-ca", issuerRef: { kind: "Issuer", name: "house-self-signed" } },
      },
      { kind: "Issuer", metadata: { name: "house-ca", namespace: "house" }, spec: { ca: { secretName: "house-ca" } } },
    ]);
    expect(issuer).toEqual({ group: "cert-manager.io", kind: "Issuer", name: "house-ca" });
  });

  it("issues for every namespace as a ClusterIssuer, whose key alone has a namespace", async () => {
    const { issuer, objects } = await deployed({ kind: "ClusterIssuer" });
    expect(objects.flatMap(crdProblems)).toEqual([]);
    expect(objects.map((object) => (object.metadata as { namespace?: string }).namespace)).toEqual([
      undefined,
      "house",
      undefined,
    ]);
    expect(issuer?.kind).toBe("ClusterIssuer");
  });
});
