import type * as pulumi from "@pulumi/pulumi";
import { ISTIO_NAMESPACE } from "../../names/namespaces";
import { Controller } from "../core/controller";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { type EgressServer, egressEntries } from "./egress";
import { baseValues, cniValues, type IstioSettings, istiodValues, ztunnelValues } from "./istio-values";

export interface MeshArgs extends IstioSettings {
  /** Servers outside of the cluster that pods in the mesh may call; with sidecars, no others. */
  readonly egress: readonly EgressServer[];
}

/** Istio: its CRDs, control plane and agents. Namespaces join by what `membership.ts` gives them. */
export class Mesh extends PlatformComponent {
  /** What must be there before a pod that shall be in the mesh, and before objects of Istio's kinds. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: MeshArgs, opts?: pulumi.ComponentResourceOptions) {
    super("mesh:Mesh", name, opts);
    const istio = new Controller(
      this.child("istio"),
      {
        namespace: ISTIO_NAMESPACE,
        // Templates of that chart: they are upgraded with it.
        crds: { chart: "istio-base", release: "istio-base", values: baseValues },
        contents: () => ({
          charts: [
            { suffix: "istiod", chart: "istio-istiod", release: "istiod", values: istiodValues(args) },
            { suffix: "cni", chart: "istio-cni", release: "istio-cni", values: cniValues(args) },
            ...(args.mode === "ambient"
              ? [{ suffix: "ztunnel", chart: "istio-ztunnel", release: "ztunnel", values: ztunnelValues(args) }]
              : []),
          ],
        }),
      },
      this.childOptions(),
    );
    const entries = args.mode === "sidecar" ? egressEntries(args.egress) : [];
    this.ready = [
      ...istio.releases,
      ...entries.map((entry) =>
        customResource(
          this.child(entry.name),
          { ...entry, namespace: istio.namespace },
          this.childOptions({ dependsOn: [...istio.releases] }),
        ),
      ),
    ];
    this.registerOutputs({});
  }
}
