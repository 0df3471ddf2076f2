import { describe, expect, it } from "vitest";
import { parseEnvironmentFile } from "../../stacks/config";
import { okeSettings } from "../../stacks/oke-settings";
import { changedText, type Sections } from "./texts";

/** Ports of the registries that nodes of oci-h100 may reach. */
function portsOf(changes: Sections): readonly number[] | undefined {
  const file = parseEnvironmentFile(changedText("oci-h100", changes));
  const cluster = file.ok ? file.environment.cluster : undefined;
  if (!file.ok || cluster?.kind !== "oci") {
    throw new Error("the file is not right");
  }
  return okeSettings(cluster, { environment: "oci-h100", stage: "production" }, file.environment)?.registryPorts;
}

describe("registries of nodes on OKE", () => {
  it("are reached over HTTPS", () => {
    expect(portsOf({})).toEqual([443]);
  });

  it("are reached at the ports of mirrors, too", () => {
    const images = { mirror: "registry.acme.io:5000/all", registries: { "docker.io": "harbor.acme.io:8443/hub" } };
    expect(portsOf({ images })).toEqual([443, 5000, 8443]);
  });
});

describe("an image of model control", () => {
  const of = (image: string, images = {}) => {
    const file = parseEnvironmentFile(changedText("oci-h100", { images, modelControl: { enabled: true, image } }));
    return file.ok ? [] : file.problems.map(({ path, fix }) => [path, fix]);
  };
  const image = `registry.acme.io:5001/control@sha256:${"0".repeat(64)}`;

  it("must be where nodes may go", () => {
    expect(of(image)).toEqual([
      ["modelControl.image", expect.stringContaining('"registry.acme.io:5001": "registry.acme.io:5001"')],
    ]);
    expect(of(image, { registries: { "registry.acme.io:5001": "registry.acme.io:5001" } })).toEqual([]);
    expect(of(image, { mirror: "mirror.acme.io" })).toEqual([]);
  });
});
