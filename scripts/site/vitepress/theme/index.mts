/** VitePress' own theme without its web font: no request leaves the site. */
import Theme from "vitepress/theme-without-fonts";
import "./style.css";

export default Theme;
