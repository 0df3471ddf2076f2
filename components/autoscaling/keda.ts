import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { KEDA_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import { Authority, issuerReference } from "../certificates/authority";
import type { CertManager } from "../certificates/cert-manager";
import { Controller } from "../core/controller";
import { ONE_AT_A_TIME } from "../core/disruption-budget";
import { PlatformComponent } from "../core/platform-component";
import { replicasOf } from "../core/replicas";
import { KEDA_PODS, KEDA_RELEASE } from "./keda-names";
import { kedaValues } from "./keda-values";

const AUTHORITY = "keda-ca";

export interface KedaArgs {
  readonly stage: Stage;
  readonly certManager: CertManager;
}

/** KEDA: feeds signals from Prometheus to HorizontalPodAutoscalers that it creates. */
export class Keda extends PlatformComponent {
  /** Deleted before KEDA, which removes their finalizers. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: KedaArgs, opts?: pulumi.ComponentResourceOptions) {
    super("autoscaling:Keda", name, opts);
    const { stage, certManager } = args;
    const controller = new Controller(
      this.child("controller"),
      {
        namespace: KEDA_NAMESPACE,
        contents: (namespace) => ({
          needs: [this.authority(namespace, certManager)],
          charts: [
            { chart: "keda", release: KEDA_RELEASE, values: kedaValues(stage, issuerReference("Issuer", AUTHORITY)) },
          ],
        }),
      },
      this.childOptions(),
    );
    this.ready = controller.releases;
    if (replicasOf(stage) > 1) {
      this.budgets(controller);
    }
    this.registerOutputs({});
  }

  /**
   * The chart's budgets (2.21.0) cannot evict unready pods. These replace them after an older
   * release's are gone.
   */
  private budgets({ namespace, releases }: Controller): void {
    for (const { podLabels } of Object.values(KEDA_PODS)) {
      const part = podLabels["app.kubernetes.io/name"];
      new kubernetes.policy.v1.PodDisruptionBudget(
        this.child(`${part}-budget`),
        {
          metadata: { name: `${part}-budget`, namespace, labels: standardLabels("keda", `${part}-budget`) },
          spec: { ...ONE_AT_A_TIME, selector: { matchLabels: { ...podLabels } } },
        },
        this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [...releases] }),
      );
    }
  }

  private authority(namespace: pulumi.Output<string>, certManager: CertManager): Authority {
    return new Authority(
      this.child("ca"),
      {
        kind: "Issuer",
        authority: AUTHORITY,
        bootstrap: `${AUTHORITY}-bootstrap`,
        namespace,
        commonName: "KEDA CA",
      },
      this.childOptions({ dependsOn: [...certManager.ready] }),
    );
  }
}
