import { render } from "preact";
import { App } from "./app";
import "./style.css";
import { show } from "./theme";

show();
render(<App />, document.getElementById("app")!);
