import { z } from "zod";
import { dnsLabel, text } from "./fields";

export const existingControllerSchema = z
  .strictObject({
    namespace: dnsLabel().meta({
      description: "Namespace of its controller.",
      example: "envoy-gateway-system",
    }),
    controllerName: text(253)
      .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9/_.~-]+$/)
      .optional()
      .meta({
        description:
          "Name that it has in GatewayClasses: config.envoyGateway.gateway.controllerName of its chart. Default: gateway.envoyproxy.io/gatewayclass-controller.",
        allowed: "a domain, a slash and a path",
        example: "gateway.envoyproxy.io/internal",
      }),
    gatewayClass: dnsLabel(253).optional().meta({
      description: "GatewayClass of yours for the Gateway. Default: the platform creates one, inference.",
      allowed: "name of a GatewayClass",
      example: "eg",
    }),
  })
  .meta({
    description:
      "Envoy Gateway that the cluster has, with the settings of docs/existing-envoy-gateway.md. Default: the platform installs its own.",
    example: { namespace: "envoy-gateway-system" },
  });
