import { type Check, judged, passed, warning } from "./check";

const CILIUM = /(^|\/)cilium(-ci)?(:|@|$)/;

/**
 * Istio chains onto each node's network plugin, and Cilium removes others by default: pods would
 * silently stay outside.
 */
export const mesh: Check = ({ daemonSets }, { releases }) =>
  releases.some(({ chart }) => chart === "istio-cni")
    ? [
        judged(
          {
            check: "mesh-plugin",
            title: "Network plugin with the mesh",
            needed: "one that can be chained with Istio's",
          },
          daemonSets,
          (all) =>
            all.some(({ containers }) => containers.some(({ image }) => CILIUM.test(image)))
              ? warning(
                  "Cilium, which removes other plugins by default",
                  "set cni.exclusive: false in Cilium's chart (docs/mesh.md, On clusters)",
                )
              : passed("none that is known to remove others"),
        ),
      ]
    : [];
