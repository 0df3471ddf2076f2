import { serviceLinksOff } from "../../../policies/rules/service-links-off";
import { deployment, object, podSpec, policyCases, UNKNOWN } from "../cases";

const service = (name: unknown) => object("core/v1", "Service", { spec: {} }, { name, namespace: "model-chat" });

policyCases(serviceLinksOff, [
  ["off", [deployment(podSpec())], "pass"],
  [
    "left to the default",
    [deployment(podSpec({ enableServiceLinks: undefined }))],
    ["spec.template.spec.enableServiceLinks is not set; allowed: false"],
  ],
  ["on", [deployment(podSpec({ enableServiceLinks: true }))], ["is true"]],
  ["a Service named as vLLM's port", [service("vllm")], ['metadata.name is "vllm"; allowed: any name but vllm, ']],
  ["a Service named as another port of it", [service("vllm-dp-master")], ["metadata.name is"]],
  ["a Service named after its model", [service("model-vllm")], "pass"],
  ["a Service whose name is not known yet", [service(UNKNOWN)], "unknown"],
  ["unknown", [deployment(podSpec({ enableServiceLinks: UNKNOWN }))], "unknown"],
]);
