/** Pods within texts and patches: a document of a ConfigMap, a value of a chart, a patch of a workflow. */
import { restrictedSecurityContext } from "../../policies/rules/restricted-security-context";
import { object, policyCases, release, UNKNOWN, workload } from "./cases";

policyCases(restrictedSecurityContext, [
  ...(
    [
      ["as YAML", "containers:\n- name: main\n  securityContext:\n    privileged: true\n"],
      ["as JSON", '{"containers": [{"name": "main", "securityContext": {"privileged": true}}]}'],
      [
        "in one line",
        "securityContext: {privileged: true}, volumeMounts: []".replace(/^|$/g, (_, at) => (at ? "}" : "{")),
      ],
      ["with an alias", "x: &a privileged\nsecurityContext: {*a : true}\nvolumeMounts: []\n"],
      ["before what cannot be read", "securityContext: {privileged: true}\nvolumeMounts: []\n---\n: : : [\n"],
      ["twice", "volumeMounts: []\nsecurityContext: {privileged: false}\nsecurityContext: {privileged: true}\n"],
      ["with escapes", '{"\\u0063ontainers": [{"name": "main", "securityContext": {"\\u0070rivileged": true}}]}'],
      [
        "with templates",
        "containers:\n{{ if .a }}\n- name: main\n  image: {{ .image }}\n  securityContext: {privileged: true}\n{{ end }}",
      ],
      ["as a patch in JSON", '[{"op": "add", "path": "/spec/containers/0/securityContext/privileged", "value": true}]'],
    ] as const
  ).map(
    ([how, podSpecPatch]) =>
      [
        `a patch of pods ${how}`,
        [workload("argoproj.io/v1alpha1", "Workflow", { podSpecPatch })],
        ["securityContext.privileged is true"],
      ] as const,
  ),
  [
    "a patch of pods by operations",
    [
      workload("kubevirt.io/v1", "KubeVirt", {
        customizeComponents: { patches: [{ op: "replace", path: "/spec/template/spec/hostNetwork", value: true }] },
      }),
    ],
    ["spec.template.spec.hostNetwork is true"],
  ],
  [
    "a whole Pod in a text",
    [
      workload("argoproj.io/v1alpha1", "Workflow", {
        templates: [
          { resource: { manifest: "apiVersion: v1\nkind: Pod\nspec:\n  containers: [{name: a, image: a:1.0}]\n" } },
        ],
      }),
    ],
    ["allowPrivilegeEscalation", "runAsNonRoot", "seccompProfile", "capabilities", "readOnly", "automount"],
  ],
  [
    "a volume of the host in a chart's text",
    [release({ values: { podSpecPatch: "hostNetwork: true\nhostPID: true\n" } })],
    ["hostNetwork is true", "hostPID is true"],
  ],
  [
    "a pod in text in words of YAML 1.1",
    [object("core/v1", "ConfigMap", { data: { a: "spec:\n  hostNetwork: yes\n  containers: [{name: a}]\n" } })],
    ["hostNetwork is true"],
  ],
  [
    "a merge key in text",
    [
      object("core/v1", "ConfigMap", {
        data: { a: "x: &x {hostPID: on}\nspec:\n  <<: *x\n  containers: [{name: a}]\n" },
      }),
    ],
    ["data.a.x.hostPID is true", "data.a.spec.hostPID is true"],
  ],
  [
    "an object in a chart's text in words of YAML 1.1",
    [
      release({
        values: {
          extraObjects: [
            "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nautomountServiceAccountToken: yes\n",
          ],
        },
      }),
    ],
    ["automountServiceAccountToken is true"],
  ],
  [
    "texts that hold no pod",
    [
      object("core/v1", "ConfigMap", {
        data: {
          "a.md": "containers: these are described below.\n\nhostNetwork: see the docs: it is: wrong\n",
          "b.json": '{"list": [{"op": "add", "path": "/spec/replicas", "value": 2}]}',
          "d.json": '[{"op": "test", "path": "/spec/template/spec/hostNetwork", "value": true}]',
        },
      }),
    ],
    "pass",
  ],
  [
    "a security context that a template puts in",
    [object("core/v1", "ConfigMap", { data: { "c.tpl": "{{ if .a }}\nsecurityContext: {{ .b }}\n{{ end }}" } })],
    "unknown",
  ],
  ["an unknown patch of pods", [workload("argoproj.io/v1alpha1", "Workflow", { template: UNKNOWN })], "unknown"],
]);
