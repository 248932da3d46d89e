// What Grafana publishes of a dashboard, closed: a panel has the options of its own type, and nothing else is let in.
import type { Dashboard, DataSourceRef, FieldConfig, Panel } from '@grafana/schema';
import type * as Stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as States from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type * as Series from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

// In a file a name of an enumeration is its text; Grafana fills in what a file leaves out.
type Written<T> = unknown extends T ? T
  : T extends string ? `${T}`
  : T extends (infer One)[] ? Written<One>[]
  : T extends object ? { [Name in keyof T]?: Written<T[Name]> }
  : T;

// Of Prometheus, whose queries Grafana's package leaves open.
type Query = { datasource?: DataSourceRef; refId: string; expr: string; legendFormat?: string; instant?: boolean };
type Fields<Custom> = {
  defaults: Written<Omit<FieldConfig, 'custom'>> & { custom?: Written<Custom> };
  overrides: { matcher: { id: string; options?: unknown }; properties: { id: string; value?: unknown }[] }[];
};
type Of<Type extends string, Options, Custom> = Written<Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets'>> & {
  type: Type;
  title: string;
  options?: Written<Options>;
  fieldConfig: Fields<Custom>;
  targets: Query[];
};

export type Ours = Written<Omit<Dashboard, 'panels' | 'schemaVersion'>> & {
  schemaVersion: number;
  panels: (
    | Of<'stat', Stat.Options, Record<never, never>>
    | Of<'timeseries', Series.Options, Series.FieldConfig>
    | Of<'state-timeline', States.Options, States.FieldConfig>
  )[];
};
