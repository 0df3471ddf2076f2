import { resourcePolicy } from "../lib/policy";

/** Helm releases and charts of all generations of the Kubernetes provider. */
const HELM_TYPE = /^kubernetes:helm\.sh\/v\d+:(Release|Chart)$/;
const EXACT_VERSION = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

export const pinnedCharts = resourcePolicy(
  {
    name: "pinned-charts",
    description: "Every Helm chart has an exact version: no range, no latest.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["supply-chain"],
    remediationSteps: "Install charts through chartRelease(), which takes the version from the catalogue.",
  },
  (resource, report) => {
    if (!HELM_TYPE.test(resource.type)) {
      return;
    }
    // A chart in a local folder carries its version inside.
    if (resource.props.get("chart").is((chart) => typeof chart === "string" && /^\.{0,2}\//.test(chart))) {
      return;
    }
    const version = resource.props.get("version");
    if (version.is((value) => typeof value !== "string" || !EXACT_VERSION.test(value))) {
      report({ resource, field: version, allowed: "an exact version such as 1.2.3" });
    }
  },
);
