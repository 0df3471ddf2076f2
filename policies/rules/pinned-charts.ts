import { runsWhatItFetches } from "../lib/fetched-programs";
import { resourcePolicy } from "../lib/policy";
import { HELM_CHART } from "../lib/resource";
import { broken, isGiven, type Row } from "../lib/rows";

const EXACT_VERSION = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Addresses, and Git hosts as kustomize writes them. */
function isRemote(place: string): boolean {
  return /^[a-z0-9+]+:(\/\/|:)|^git@|^(www\.)?(github|gitlab|bitbucket)\.[a-z]+\//i.test(place);
}

const isRemoteText = (value: unknown) => typeof value === "string" && isRemote(value);
const HERE = "files next to the program: the content of a URL is not pinned";

const ROWS: readonly Row[] = [
  {
    on: ["kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart"],
    path: "valueYamlFiles",
    isWrong: (files) => Array.isArray(files) && files.length > 0,
    found: "is values in files, which no policy reads",
    allowed: "values: in the program",
  },
  {
    on: ["kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart"],
    path: "postrender",
    isWrong: isGiven,
    allowed: "what the chart renders: another program changes what was judged",
  },
  {
    on: ["kubernetes:helm.sh/v4:Chart"],
    path: "postRenderer",
    isWrong: isGiven,
    allowed: "what the chart renders: another program changes what was judged",
  },
  {
    on: ["kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v4:Chart"],
    path: "repositoryOpts.repo",
    isWrong: (repo) => /^http:/i.test(String(repo)),
    allowed: "https://…, or an OCI registry",
  },
  {
    on: ["kubernetes:helm.sh/v3:Chart"],
    path: "fetchOpts.repo",
    isWrong: (repo) => /^http:/i.test(String(repo)),
    allowed: "https://…",
  },
  ...["kubernetes:yaml:ConfigFile", "kubernetes:yaml/v2:ConfigFile"].map((type) => ({
    on: [type],
    path: "file",
    isWrong: isRemoteText,
    allowed: HERE,
  })),
  ...["kubernetes:yaml:ConfigGroup", "kubernetes:yaml/v2:ConfigGroup"].flatMap((type) =>
    ["files", "files[]"].map((path) => ({ on: [type], path, isWrong: isRemoteText, allowed: HERE })),
  ),
  ...["kubernetes:kustomize:Directory", "kubernetes:kustomize/v2:Directory"].map((type) => ({
    on: [type],
    path: "directory",
    isWrong: isRemoteText,
    allowed: HERE,
  })),
  ...["create", "update", "delete"].map((path) => ({
    on: ["command:local:Command", "command:remote:Command"],
    path,
    isWrong: (script: unknown) => runsWhatItFetches(String(script)),
    found: "is a command that runs what it fetches",
    allowed: "a program whose checksum was compared",
  })),
];

export const pinnedCharts = resourcePolicy(
  {
    name: "pinned-charts",
    description:
      "Every Helm chart has an exact version of a repository: no range, no latest, no archive at an address, no program that changes it afterwards, and no values out of sight; manifests and overlays are files next to the program, and no command runs what it fetches.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["supply-chain"],
    remediationSteps: "Install charts through chartRelease(), which takes the version from the catalogue.",
  },
  (resource, report) => {
    for (const finding of broken(ROWS, resource)) {
      report({ resource, ...finding });
    }
    if (!HELM_CHART.test(resource.type)) {
      return;
    }
    const chart = resource.props.get("chart");
    // A local chart folder contains its version.
    if (chart.is((value) => typeof value === "string" && /^\.{0,2}\//.test(value))) {
      return;
    }
    // An archive's content is not compared with the version.
    if (chart.is((value) => typeof value === "string" && isRemote(value) && !value.startsWith("oci://"))) {
      report({ resource, field: chart, allowed: "a chart of a repository or of an OCI registry" });
    }
    const version = resource.props.get("version");
    if (version.is((value) => typeof value !== "string" || !EXACT_VERSION.test(value))) {
      report({ resource, field: version, allowed: "an exact version such as 1.2.3" });
    }
  },
);
