import { schedulingLimits } from "../../../policies/rules/scheduling-limits";
import { deployment, object, podSpec, policyCases, UNKNOWN } from "../cases";

const pod = (changes: Record<string, unknown>) => [deployment(podSpec(changes))];
const priority = (body: Readonly<Record<string, unknown>>) => [object("scheduling.k8s.io/v1", "PriorityClass", body)];
const EVERY = [{ operator: "Exists" }];
const terms = (matchExpressions: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

policyCases(schedulingLimits, [
  ["a pod without wishes", pod({}), "pass"],
  [
    "a pod for GPUs",
    pod({
      nodeSelector: { "inference-stacks.io/pool": "a" },
      priorityClassName: "inference-serving",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists" }],
    }),
    "pass",
  ],
  ["a node by name", pod({ nodeName: "node-1" }), ['spec.template.spec.nodeName is "node-1"']],
  ["every taint", pod({ tolerations: EVERY }), ["tolerations[0] is"]],
  [
    "every taint of an effect",
    pod({ tolerations: [{ operator: "Exists", effect: "NoSchedule" }] }),
    ["tolerations[0]"],
  ],
  ["the control plane's taint", pod({ tolerations: [{ key: CONTROL_PLANE, operator: "Exists" }] }), ["tolerations[0]"]],
  ["the control plane by label", pod({ nodeSelector: { [CONTROL_PLANE]: "" } }), [`nodeSelector["${CONTROL_PLANE}"]`]],
  [
    "the control plane by affinity",
    pod({ affinity: terms([{ key: CONTROL_PLANE, operator: "Exists" }]) }),
    ["matchExpressions[0] is"],
  ],
  ["not the control plane", pod({ affinity: terms([{ key: CONTROL_PLANE, operator: "DoesNotExist" }]) }), "pass"],
  ["a priority of the system", pod({ priorityClassName: "system-node-critical" }), ["priorityClassName is"]],
  ["a number of the system", pod({ priority: 2000001000 }), ["priority is 2000001000"]],
  ["an unknown name", pod({ nodeName: UNKNOWN }), "unknown"],
  ["unknown tolerations", pod({ tolerations: UNKNOWN }), "unknown"],
  [
    "proxies that an operator makes",
    [
      object("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", {
        spec: { provider: { kubernetes: { envoyDeployment: { pod: { tolerations: EVERY } } } } },
      }),
    ],
    ["pod.tolerations[0] is"],
  ],
  [
    "agents that an exception names",
    [
      object(
        "apps/v1",
        "DaemonSet",
        { spec: { template: { spec: podSpec({ tolerations: EVERY, priorityClassName: "system-node-critical" }) } } },
        { name: "calico-node", namespace: "calico-system" },
      ),
    ],
    "pass",
  ],
  ["a class of the platform's", priority({ value: 900000, globalDefault: false }), "pass"],
  ["a class above the platform's", priority({ value: 1000000000 }), ["value is 1000000000"]],
  ["a class for everybody", priority({ value: 1, globalDefault: true }), ["globalDefault is true"]],
  ["an unknown class", priority({ value: UNKNOWN }), "unknown"],
]);
