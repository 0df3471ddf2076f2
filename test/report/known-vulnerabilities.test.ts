import { describe, expect, it } from "vitest";
import { EKS_NODE_IMAGE } from "../../catalog/eks";
import { image } from "../../catalog/images";
import { vulnerableReleases } from "../../report/known-vulnerabilities";

type Run = Parameters<typeof vulnerableReleases>[0];

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";

interface Made {
  readonly images?: readonly string[];
  readonly nodeImage?: string;
  readonly mirror?: string;
  readonly refused?: boolean;
}

function found({ images = [], nodeImage, mirror, refused = false }: Made) {
  const resources = [
    ...images.map((reference, index) => ({
      type: DEPLOYMENT,
      name: `pod-${index}`,
      inputs: { spec: { template: { spec: { containers: [{ image: reference }] } } } },
    })),
    ...(nodeImage === undefined
      ? []
      : [
          {
            type: "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
            name: "nodes",
            inputs: { spec: { amiSelectorTerms: [{ alias: `al2023@${nodeImage}` }] } },
          },
        ]),
  ];
  return vulnerableReleases({
    environment: { cluster: { kind: "aws", provision: "create" }, images: mirror === undefined ? {} : { mirror } },
    plan: { problems: refused ? [{ severity: "mandatory" }] : [] },
    recording: { resources },
  } as unknown as Run);
}

const OLD_ENVOY = "docker.io/envoyproxy/envoy:distroless-v1.38.0";

describe("releases that an environment takes", () => {
  it("are advised on once where they are known to be vulnerable, with what mends them", () => {
    expect(
      found({ images: [OLD_ENVOY, `${OLD_ENVOY}@sha256:${"0".repeat(64)}`, "docker.io/library/other:1.0.0"] }),
    ).toEqual([
      {
        policy: "known-vulnerabilities",
        severity: "advisory",
        resource: "envoy 1.38.0",
        message: expect.stringMatching(new RegExp(`^${OLD_ENVOY}: CVE-.* \\(high\\), .*1\\.39\\.6 fixes them`)),
      },
    ]);
  });

  it("are known behind a mirror", () => {
    const [advice] = found({ images: [`registry.acme.io/all/${OLD_ENVOY}`], mirror: "registry.acme.io/all" });
    expect(advice?.resource).toBe("envoy 1.38.0");
  });

  it("count by the engine that an image brings, with the setting that asks for it", () => {
    const [advice] = found({ images: [image("ray-llm")] });
    expect(advice).toMatchObject({ resource: "vllm 0.22.0", message: expect.stringContaining("engine: ray") });
  });

  it("count where the environment names another than the pinned one", () => {
    const [engine] = found({ images: ["docker.io/vllm/vllm-openai:v0.25.0"] });
    expect(engine).toMatchObject({
      resource: "vllm 0.25.0",
      message: expect.stringContaining("This environment names it"),
    });
    const [nodes] = found({ nodeImage: "v20261003" });
    expect(nodes).toMatchObject({
      resource: "eks-node-image v20261003",
      message: expect.stringMatching(/^cluster\.eks\.nodeImage: /),
    });
  });

  it("are no matter where only what is off by default meets what is known, nor of a plan that is refused", () => {
    expect(found({ images: [image("vllm-cuda"), image("triton")] })).toEqual([]);
    expect(found({ images: [OLD_ENVOY], nodeImage: EKS_NODE_IMAGE, refused: true })).toEqual([]);
  });
});
