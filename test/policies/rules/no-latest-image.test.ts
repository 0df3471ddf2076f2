import { noLatestImage } from "../../../policies/rules/no-latest-image";
import { container, deployment, object, podSpec, policyCases, release, UNKNOWN, workload } from "../cases";

const image = (reference: unknown) => [deployment(podSpec({ containers: [container({ image: reference })] }))];
const patch = (spec: object) => object("apps/v1", "DeploymentPatch", { spec: { template: { spec } } });
const DIGEST = `sha256:${"0f".repeat(32)}`;

policyCases(noLatestImage, [
  ["a version tag", image("ghcr.io/acme/tool:1.2.3"), "pass"],
  ["a digest", image(`ghcr.io/acme/tool@${DIGEST}`), "pass"],
  ["a digest wins over the tag", image(`ghcr.io/acme/tool:latest@${DIGEST}`), "pass"],
  ["a registry with a port", image("registry.internal:5000/tool:1.0"), "pass"],
  [
    "latest",
    image("nginx:latest"),
    ['containers[0].image is "nginx:latest"; allowed: a version tag (not latest, main or the like) or a sha256 digest'],
  ],
  ["latest in capitals", image("nginx:LATEST"), ["nginx:LATEST"]],
  ...["main", "master", "edge", "nightly", "stable"].map(
    (tag) => [`the moving tag ${tag}`, image(`ghcr.io/acme/tool:${tag}`), [tag]] as const,
  ),
  [
    "an image volume",
    [deployment(podSpec({ volumes: [{ name: "model", image: { reference: "ghcr.io/acme/model:latest" } }] }))],
    ["spec.template.spec.volumes[0].image.reference"],
  ],
  [
    "a container under a key of its own",
    [workload("argoproj.io/v1alpha1", "Workflow", { templates: [{ container: { image: "busybox:latest" } }] })],
    ["spec.templates[0].container.image"],
  ],
  [
    "an ephemeral container",
    [deployment(podSpec({ ephemeralContainers: [container({ image: "busybox" })] }))],
    ["ephemeralContainers[0].image"],
  ],
  ["a patch that leaves the image out", [patch({ containers: [{ name: "x", args: [] }] })], "pass"],
  ["a patch with a moving image", [patch({ containers: [{ name: "x", image: "x:dev" }] })], ["x:dev"]],
  ["no tag", image("nginx"), ['is "nginx"']],
  ["a port is no tag", image("registry.internal:5000/tool"), ["registry.internal:5000/tool"]],
  ["a broken digest", image("nginx@sha256:123"), ["nginx@sha256:123"]],
  ["no image", image(undefined), ["is not set"]],
  [
    "init containers too",
    [deployment(podSpec({ initContainers: [container({ image: "busybox" })] }))],
    ["initContainers[0].image"],
  ],
  ["unknown", image(UNKNOWN), "unknown"],
  [
    "chart values with a tag",
    [release({ values: { image: { repository: "grafana/grafana", tag: "12.0.0" } } })],
    "pass",
  ],
  [
    "chart values that leave the tag to the chart",
    [release({ values: { image: { repository: "grafana/grafana", tag: "" } } })],
    "pass",
  ],
  [
    "parts of a reference",
    [release({ values: { repository: "nvcr.io/nvidia", image: "dcgm-exporter", version: "4.2.0" } })],
    "pass",
  ],
  [
    "chart values with latest",
    [release({ values: { sidecar: { image: { tag: "latest" } } } })],
    ["values.sidecar.image.tag"],
  ],
  ["keys that end in Tag", [release({ values: { imageTag: "latest" } })], ["values.imageTag"]],
  [
    "whole references in lists",
    [release({ values: { extraContainers: [{ name: "x", image: "busybox" }] } })],
    ["values.extraContainers[0].image"],
  ],
  ["unknown chart values", [release({ values: UNKNOWN })], "unknown"],
]);
