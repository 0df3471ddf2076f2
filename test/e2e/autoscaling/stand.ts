import { ControlPlane, type ControlPlaneOptions } from "../../../rehearsal/cluster/control-plane";
import { type Keda, runKeda } from "../../../rehearsal/cluster/keda";
import { MetricsReplay, type ReplayOptions } from "../../../rehearsal/cluster/metrics-replay";

export interface AutoscalingStandOptions extends ReplayOptions {
  /** Of kube-controller-manager. @default all of them */
  readonly controllers?: ControlPlaneOptions["controllers"];
  /** Start KEDA: a cluster has one server of external metrics. @default true */
  readonly keda?: boolean;
}

/** How often the controller of HorizontalPodAutoscalers looks, in place of the usual 15 s. */
const AUTOSCALING_PERIOD = "1s";

/** A control plane with the real HPA controller, the real KEDA, and a real Prometheus over series that the test sets. */
export class AutoscalingStand {
  private constructor(
    readonly plane: ControlPlane,
    readonly replay: MetricsReplay,
    private readonly started: Keda | undefined,
  ) {}

  /** @throws Error with the log of the program that did not start. */
  static async start({
    controllers = true,
    keda = true,
    ...replay
  }: AutoscalingStandOptions = {}): Promise<AutoscalingStand> {
    const plane = await ControlPlane.start({ controllers, aggregation: true, autoscalingPeriod: AUTOSCALING_PERIOD });
    try {
      const [metrics, running] = await Promise.all([
        MetricsReplay.start(plane, replay),
        keda ? runKeda(plane) : undefined,
      ]);
      return new AutoscalingStand(plane, metrics, running);
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  /** @throws Error where the stand was started without it. */
  get keda(): Keda {
    if (this.started === undefined) {
      throw new Error("this stand has no KEDA");
    }
    return this.started;
  }

  async stop(): Promise<void> {
    this.replay.stop();
    await this.plane.stop();
  }
}
