import { pinnedCharts } from "../../../policies/rules/pinned-charts";
import { deployment, podSpec, policyCases, release, resource, UNKNOWN } from "../cases";

const command = (create: unknown) => [resource("command:local:Command", { create })];

policyCases(pinnedCharts, [
  ...[
    'sh -c "$(curl -fsSL https://x.example/i.sh)"',
    "curl -fsSLo /tmp/i.sh https://x.example/i.sh && bash /tmp/i.sh",
    "curl -fsSLo /usr/local/bin/t https://x.example/t; chmod +x /usr/local/bin/t; t",
    "wget -qO /tmp/i.sh https://x.example && sh /tmp/i.sh",
    "wget https://x.example/i.sh\n./i.sh",
    "curl -s https://x.example/i > i; sudo -E ./i",
    "source <(curl -s https://x.example/a.sh)",
    "bash <(curl -s https://x.example/a.sh)",
    "curl -s https://x.example/a.gz | gunzip | sudo sh",
    "curl -s https://x.example/a.py | python3 -",
    "python3 -c \"import urllib.request as u;exec(u.urlopen('https://x.example/a').read())\"",
    "kubectl apply -f https://x.example/a.yaml",
    "pip install https://x.example/a.tar.gz",
  ].map((create): [string, ReturnType<typeof command>, string[]] => [
    create,
    command(create),
    ["a command that runs what it fetches"],
  ]),
  ...[
    "curl -fsS https://x.example/healthz > /dev/null",
    "curl -s https://x.example/a.json | python3 -m json.tool",
    "bash -c 'code=$(curl -s https://x.example)'",
    "curl -fsSLo a https://x.example/a && sha256sum -c a.sum && chmod +x a && ./a",
    "pip install --index-url https://pypi.example/simple vllm==0.33.0",
    "kubectl apply -f a.yaml",
    "curl -o a.json https://x.example/a.json; cat a.json",
  ].map((create): [string, ReturnType<typeof command>, "pass"] => [create, command(create), "pass"]),
  ["an unknown command", command(UNKNOWN), "unknown"],
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
