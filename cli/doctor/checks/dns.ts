import { someOf } from "../../cluster/foreign-text";
import { type Check, failed, judged, passed } from "./check";

/** NetworkPolicies let every pod ask the pods with this label, and nobody else. */
export const dns: Check = ({ dnsPods, deployments }) => [
  judged(
    {
      check: "cluster-dns",
      title: "Cluster DNS",
      needed: "a ready pod in kube-system with the label k8s-app: kube-dns",
    },
    dnsPods,
    (pods) => {
      const ready = pods.filter((pod) => pod.ready);
      if (ready.length > 0) {
        return passed(`${ready.length} ready ${ready.length === 1 ? "pod" : "pods"} with that label`);
      }
      if (pods.length > 0) {
        return failed(
          `none of its ${pods.length} pods is ready: ${someOf(pods.map(({ name }) => name))}`,
          "kubectl -n kube-system describe pods -l k8s-app=kube-dns",
        );
      }
      const others = deployments.known
        ? deployments.value.filter(({ name, namespace, containers }) => {
            return (
              namespace === "kube-system" && (/dns/.test(name) || containers.some(({ image }) => /coredns/.test(image)))
            );
          })
        : [];
      const names = someOf(others.map(({ name }) => name));
      return others.length > 0
        ? failed(
            `${names} runs there without that label: pods could resolve no name`,
            `add k8s-app: kube-dns to the labels of its pod template: kubectl -n kube-system edit deployment ${others[0]?.name}`,
          )
        : failed(
            "no pod there has that label: pods could resolve no name",
            "install CoreDNS in kube-system with that label; where it runs elsewhere, it must be moved",
          );
    },
  ),
];
