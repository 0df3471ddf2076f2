import { resourcePolicy } from "../lib/policy";
import { HELM_CHART } from "../lib/resource";

const EXACT_VERSION = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

export const pinnedCharts = resourcePolicy(
  {
    name: "pinned-charts",
    description:
      "Every Helm chart has an exact version of a repository: no range, no latest, no archive at an address.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["supply-chain"],
    remediationSteps: "Install charts through chartRelease(), which takes the version from the catalogue.",
  },
  (resource, report) => {
    if (!HELM_CHART.test(resource.type)) {
      return;
    }
    const chart = resource.props.get("chart");
    // A chart in a local folder carries its version inside.
    if (chart.is((value) => typeof value === "string" && /^\.{0,2}\//.test(value))) {
      return;
    }
    // Nothing compares the version with what an archive at an address holds.
    if (chart.is((value) => typeof value === "string" && /^https?:/i.test(value))) {
      report({ resource, field: chart, allowed: "a chart of a repository or of an OCI registry" });
    }
    const version = resource.props.get("version");
    if (version.is((value) => typeof value !== "string" || !EXACT_VERSION.test(value))) {
      report({ resource, field: version, allowed: "an exact version such as 1.2.3" });
    }
  },
);
