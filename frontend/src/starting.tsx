// A tenant whose query does not run, started now: not when it is due, or though it was given up.

import { useState } from "preact/hooks";
import type { Tenant } from "./api";
import { useAct } from "./controls";
import { Problem } from "./parts";
import { useSite } from "./site";

const STARTED_BY_HAND: Tenant["trouble"][] = ["not running", "given up", "stopped"];
const FLEET = "fleet"; // whose tenants are started where their own drivers are governed

export function StartNow({ tenant }: { tenant: Tenant }) {
  const { overview, session, gone } = useSite();
  const [act, error] = useAct();
  const [sent, setSent] = useState(false);
  const mayAct = overview.control.live && session.role === "operate" && overview.run.engine !== FLEET;
  if (!mayAct || !STARTED_BY_HAND.includes(tenant.trouble)) return null;
  return (
    <p class="bound">
      <button type="button" disabled={gone} onClick={() => void act({ act: "start", job: tenant.name }).then(setSent)}>Start now</button>
      {sent && !error && <span role="status"> It is heard at the start of the next cycle.</span>}
      {error && <Problem text={error} />}
    </p>
  );
}
