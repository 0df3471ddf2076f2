import { ANNOTATIONS } from "../../../names/labels";
import { gpuExclusive } from "../../../policies/rules/gpu-exclusive";
import {
  container,
  deployment,
  gpuContainer,
  HOMES,
  object,
  podSpec,
  policyCases,
  release,
  resource,
  UNKNOWN,
} from "../cases";

const claim = (name: string, amount: unknown = 1) =>
  podSpec({ containers: [container({ resources: { limits: { [name]: amount } } })] });
const SLICE = claim("nvidia.com/mig-1g.10gb");
const said = { annotations: { [ANNOTATIONS.gpuPart]: "1 1g.10gb slice of 7 on each card" } };
const plugin = (text: string) => object("core/v1", "ConfigMap", { data: { "time-slices-4": text } });
const turns = (more: string) => `version: v1
sharing:
  timeSlicing:
${more}    resources:
    - name: nvidia.com/gpu
      replicas: 4
`;
const undeclared = /gpu-part/.source;

policyCases(gpuExclusive, [
  ["whole GPUs need no word", [deployment(podSpec({ containers: [gpuContainer("2")] }))], "pass"],
  ["a declared slice", [deployment(SLICE, said)], "pass"],
  ["a slice that nobody declared", [deployment(SLICE)], [undeclared]],
  ["a declaration without words", [deployment(SLICE, { annotations: { [ANNOTATIONS.gpuPart]: "" } })], [undeclared]],
  ["a turn on a shared card", [deployment(claim("nvidia.com/gpu.shared"))], ["claims nvidia.com/gpu.shared"]],
  ["no slice is no claim", [deployment(claim("nvidia.com/mig-1g.10gb", 0))], "pass"],
  ["a declaration that only the deployment brings", [deployment(SLICE, { annotations: UNKNOWN })], "unknown"],
  ...Object.entries(HOMES).map(
    ([kind, home]) => [`a slice in a ${kind}`, [home({ spec: SLICE })], [undeclared]] as const,
  ),
  ["cards in turns under a name of their own", [plugin(turns("    renameByDefault: true\n"))], "pass"],
  ["cards in turns under the name of whole ones", [plugin(turns(""))], ["data.time-slices-4 holds cards"]],
  ["and where that is said", [plugin(turns("    renameByDefault: false\n"))], ["holds cards that pods share"]],
  ["and where it is only a remark", [plugin(turns("    # renameByDefault: true\n"))], ["holds cards that pods share"]],
  [
    "by MPS, in JSON",
    [plugin('{"sharing":{"mps":{"resources":[{"name":"nvidia.com/gpu","replicas":2}]}}}')],
    ["holds cards that pods share"],
  ],
  [
    "in the values of a chart, as text",
    [release({ values: { devicePlugin: { config: { data: { any: turns("") } } } } })],
    ["devicePlugin.config.data.any holds cards"],
  ],
  [
    "in the values of a chart, as an object",
    [release({ values: { sharing: { timeSlicing: { resources: [{ name: "nvidia.com/gpu", replicas: 2 }] } } } })],
    ["sharing.timeSlicing holds cards"],
  ],
  [
    "the same under a name of its own",
    [
      release({
        values: {
          sharing: { timeSlicing: { renameByDefault: true, resources: [{ name: "nvidia.com/gpu", replicas: 2 }] } },
        },
      }),
    ],
    "pass",
  ],
  [
    "what a plan says of turns is no device plugin's",
    [
      plugin(
        JSON.stringify({ pools: [{ sharing: { timeSlicing: { replicas: 4 } }, taints: [{ key: "nvidia.com/gpu" }] }] }),
      ),
    ],
    "pass",
  ],
  [
    "two ways, one of them under a name of its own",
    [plugin(`${turns("    renameByDefault: true\n")}  mps:\n    resources: [{name: nvidia.com/gpu, replicas: 2}]\n`)],
    ["holds cards"],
  ],
  [
    "in the configuration of an add-on",
    [
      resource("oci:ContainerEngine/addon:Addon", {
        configurations: [{ key: "devicePlugin.config", value: turns("") }],
      }),
    ],
    ["configurations[0].value holds cards"],
  ],
  ["prose about timeSlicing: no configuration", [plugin("timeSlicing: see the manual")], "pass"],
]);
