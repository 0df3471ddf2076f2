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
            title: "Network plugin beside the mesh",
            needed: "one that lets Istio's stand beside it",
          },
          daemonSets,
          (all) =>
            all.some(({ containers }) => containers.some(({ image }) => CILIUM.test(image)))
              ? warning(
                  "Cilium, which removes other plugins unless told not to",
                  "set cni.exclusive: false in Cilium's chart (docs/mesh.md, On clusters)",
                )
              : passed("none that is known to remove others"),
        ),
      ]
    : [];
