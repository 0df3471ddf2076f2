import { serviceLinksOff } from "../../../policies/rules/service-links-off";
import { deployment, podSpec, policyCases, UNKNOWN } from "../cases";

policyCases(serviceLinksOff, [
  ["off", [deployment(podSpec())], "pass"],
  [
    "left to the default",
    [deployment(podSpec({ enableServiceLinks: undefined }))],
    ["spec.template.spec.enableServiceLinks is not set; allowed: false"],
  ],
  ["on", [deployment(podSpec({ enableServiceLinks: true }))], ["is true"]],
  ["unknown", [deployment(podSpec({ enableServiceLinks: UNKNOWN }))], "unknown"],
]);
