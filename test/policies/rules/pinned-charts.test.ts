import { pinnedCharts } from "../../../policies/rules/pinned-charts";
import { deployment, podSpec, policyCases, release, resource, UNKNOWN } from "../cases";

policyCases(pinnedCharts, [
  ["exact", [release({ version: "10.1.0" })], "pass"],
  ["with a v, a pre-release and build data", [release({ version: "v1.21.2-rc.1+build.5" })], "pass"],
  ["a local chart", [release({ chart: "./charts/own", version: undefined })], "pass"],
  ["no chart at all", [deployment(podSpec())], "pass"],
  ["none", [release({ version: undefined })], ['kubernetes:helm.sh/v3:Release "subject": version is not set']],
  ["a range", [release({ version: "^10.1.0" })], ['is "^10.1.0"']],
  ["a wildcard", [release({ version: "10.x" })], ['is "10.x"']],
  [
    "charts rendered by Pulumi",
    [resource("kubernetes:helm.sh/v4:Chart", { chart: "grafana", version: "latest" })],
    ['is "latest"'],
  ],
  [
    "an archive at an address",
    [release({ chart: "https://charts.acme.io/grafana-10.1.0.tgz" })],
    ['chart is "https://charts.acme.io/grafana-10.1.0.tgz"'],
  ],
  ["a chart of an OCI registry", [release({ chart: "oci://ghcr.io/acme/grafana" })], "pass"],
  ["unknown", [release({ version: UNKNOWN })], "unknown"],
]);
