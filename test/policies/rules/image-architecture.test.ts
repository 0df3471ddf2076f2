import { describe, expect, test } from "vitest";
import { chartImages } from "../../../catalog/chart-images";
import { mirrored } from "../../../catalog/image-mirror";
import { image, images } from "../../../catalog/images";
import { architecturesOf } from "../../../policies/lib/image-platforms";
import { imageArchitecture } from "../../../policies/rules/image-architecture";
import { container, deployment, plan, podSpec, policyCases, release, UNKNOWN, workload } from "../cases";

const MACHINE = "node.kubernetes.io/instance-type";
const system = { name: "system", role: "system", cpuArch: "arm64", selector: { [MACHINE]: "A1" }, taints: [] };
const taint = { key: "nvidia.com/gpu", effect: "NoSchedule" };
const gpu = { name: "a10", role: "gpu", cpuArch: "amd64", selector: { [MACHINE]: "A10" }, taints: [taint] };
const arm = plan({ pools: [system, gpu] });
const mixed = plan({ pools: [system, { ...gpu, role: "cpu", taints: [] }] });

const tgi = image("tgi");
const busybox = image("busybox");
const pods = (reference: unknown, changes: Record<string, unknown> = {}) =>
  deployment(podSpec({ containers: [container({ image: reference })], ...changes }));
const affinity = (...matchExpressions: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const onArch = (operator: string, ...values: string[]) => affinity({ key: "kubernetes.io/arch", operator, values });
const tolerations = [{ operator: "Exists" }];
const exporter = (values: object) => release({ chart: "device-metrics-exporter-charts", version: "v1.5.1", values });

policyCases(imageArchitecture, [
  ["an image for both", [arm, pods(busybox)], "pass"],
  ["one for amd64 on its pool", [arm, pods(tgi, { nodeSelector: { [MACHINE]: "A10" }, tolerations })], "pass"],
  ["one for amd64 by its selector", [mixed, pods(tgi, { nodeSelector: { "kubernetes.io/arch": "amd64" } })], "pass"],
  ["one for amd64 by its affinity", [mixed, pods(tgi, { affinity: onArch("In", "amd64") })], "pass"],
  ["one for amd64, not on arm64", [mixed, pods(tgi, { affinity: onArch("NotIn", "arm64") })], "pass"],
  [
    "one for amd64 by a label that another pool has",
    [mixed, pods(tgi, { affinity: affinity({ key: MACHINE, operator: "In", values: ["A10"] }) })],
    "pass",
  ],
  [
    "one for amd64, wherever there is room",
    [arm, pods(tgi)],
    [
      `spec.template.spec.containers[0].image has image ${tgi}, made for amd64; allowed: an image for arm64 (pool system), where its pods may go`,
    ],
  ],
  ["one for amd64 pinned to Arm", [arm, pods(tgi, { nodeSelector: { [MACHINE]: "A1" } })], ["arm64 (pool system)"]],
  ["one for amd64 on either", [mixed, pods(tgi, { affinity: onArch("In", "amd64", "arm64") })], ["(pool system)"]],
  ["by a label that nobody knows", [mixed, pods(tgi, { nodeSelector: { disk: "fast" } })], ["(pool system)"]],
  [
    "in an init container of a Job",
    [
      arm,
      workload("batch/v1", "Job", {
        template: { spec: podSpec({ initContainers: [{ name: "copy", image: tgi }] }) },
      }),
    ],
    ["initContainers[0].image has image"],
  ],
  ["from a mirror under its whole name", [arm, pods(`mirror.example.com/all/${tgi}`)], ["made for amd64"]],
  [
    "from a mirror of its registry",
    [arm, pods(mirrored(tgi, { registries: { "ghcr.io": "mirror.example.com/ghcr" } }))],
    ["made for amd64"],
  ],
  ["an image of one's own on Arm", [arm, pods("ghcr.io/your-org/inference-model-control:0.1.0")], "unknown"],
  ["an image of one's own on amd64", [plan({ pools: [gpu] }), pods("ghcr.io/your-org/x:1", { tolerations })], "pass"],
  ["another tag than the catalogue's", [arm, pods("ghcr.io/huggingface/text-generation-inference:9.9.9")], "unknown"],
  ["an image that nobody knows yet", [arm, pods(UNKNOWN)], "unknown"],
  ["a selector that nobody knows yet", [arm, pods(tgi, { nodeSelector: UNKNOWN })], "unknown"],
  ["a label that nobody knows yet", [arm, pods(tgi, { nodeSelector: { [MACHINE]: UNKNOWN } })], "unknown"],
  ["tolerations that nobody knows yet", [arm, pods(tgi, { tolerations: UNKNOWN })], "unknown"],
  ["no plan", [pods(tgi)], "pass"],
  ["a plan of an older program", [plan(), pods(tgi)], "pass"],

  ["a chart for both", [arm, release({ chart: "cert-manager", values: {} })], "pass"],
  ["a chart for amd64, anywhere", [arm, exporter({})], ["chart has image docker.io/rocm/device-metrics-exporter:"]],
  ["a chart for amd64 by its affinity", [arm, exporter({ affinity: onArch("In", "amd64"), tolerations })], "pass"],
  ["a chart for amd64 that tolerates all", [arm, exporter({ tolerations })], ["arm64 (pool system)"]],
  [
    "a chart that places its pods beside its images",
    [
      mixed,
      release({
        chart: chartReference("beta9-chart"),
        values: { controllers: { gateway: { pod: { nodeSelector: { "kubernetes.io/arch": "amd64" } } } } },
      }),
    ],
    "pass",
  ],
  ["a chart whose images nobody listed", [arm, release({ chart: "grafana" })], "unknown"],
  ["the same where all nodes are amd64", [plan({ pools: [gpu] }), release({ chart: "grafana" })], "pass"],
  ["values that nobody knows yet", [arm, exporter({ affinity: UNKNOWN })], "unknown"],
]);

function chartReference(chart: string): string {
  return `oci://public.ecr.aws/n4e0e1y0/${chart}`;
}

describe("the catalogue's images", () => {
  test.each(images.map(({ component, platforms }) => ({ component, platforms })))(
    "$component",
    ({ component, platforms }) => {
      const expected = platforms.map((platform) => platform.slice("linux/".length));
      const whole = mirrored(image(component), { mirror: "registry.example.com:5000/hub" });
      for (const reference of [image(component), whole]) {
        expect(architecturesOf(reference)).toEqual(expected);
      }
    },
  );

  test("the test's chart has an image for amd64 alone", () => {
    const [first] = chartImages("amd-device-metrics-exporter").images;
    expect(first?.component).toBe("amd-device-metrics-exporter");
  });
});
