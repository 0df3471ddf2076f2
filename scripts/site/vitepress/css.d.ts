/** Styles that Vite bundles. */
declare module "*.css";
