import { describe, expect, it } from "vitest";
import { image, imageEntry } from "../../catalog/images";
import { imagesByTag } from "../../report/images-by-tag";

type Run = Parameters<typeof imagesByTag>[0];

interface Made {
  readonly images: readonly string[];
  readonly stage?: "production" | "development";
  readonly mirror?: string;
}

function found({ images, stage = "production", mirror }: Made) {
  const resources = images.map((reference, index) => ({
    type: "kubernetes:apps/v1:Deployment",
    name: `pod-${index}`,
    inputs: { spec: { template: { spec: { containers: [{ image: reference }] } } } },
  }));
  return imagesByTag({
    environment: { images: mirror === undefined ? {} : { mirror } },
    plan: { stage, problems: [] },
    recording: { resources },
  } as unknown as Run);
}

/** An image by its tag alone, whatever the list has. */
const byTag = (component: string) => `${imageEntry(component).repository}:${imageEntry(component).tag}`;

const PROXY = byTag("envoy-proxy");
const OWN = "registry.acme.io/control:1.0";

describe("images of the public path that production pulls by tag", () => {
  it("are named, with the command that asks for digests, the environment's own apart", () => {
    expect(found({ images: [PROXY, byTag("valkey"), OWN] })).toEqual([
      {
        policy: "images-by-tag",
        severity: "advisory",
        resource: "images",
        message: `2 on the public path pulled by tag, which a registry can move: ${PROXY}, ${byTag("valkey")}. npm run pins -- --digests asks their registries for digests (docs/pins.md).`,
      },
      {
        policy: "images-by-tag",
        severity: "advisory",
        resource: "own images",
        message: `1 on the public path pulled by tag, which a registry can move: ${OWN}. Name them as repository:tag@sha256:… (docs/pins.md).`,
      },
    ]);
  });

  it("are known behind a mirror, by the names of their publishers", () => {
    const [advice] = found({ images: [`registry.acme.io/all/${PROXY}`], mirror: "registry.acme.io/all" });
    expect(advice?.message).toContain(`move: ${PROXY}.`);
  });

  it("are no finding with a digest, outside of the public path, or in development", () => {
    const digest = `sha256:${"0".repeat(64)}`;
    expect(found({ images: [image("valkey"), `${PROXY}@${digest}`, `${OWN}@${digest}`, byTag("grafana")] })).toEqual(
      [],
    );
    expect(found({ images: [PROXY], stage: "development" })).toEqual([]);
  });
});
