// What charts.js draws, and nothing else of ECharts. A chart of another type is one more name here.
import { init, use } from "echarts/core";
import { BarChart, GraphChart, HeatmapChart, LineChart, LinesChart, ScatterChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TitleComponent, TooltipComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";

use([
  BarChart, GraphChart, HeatmapChart, LineChart, LinesChart, ScatterChart,
  GridComponent, MarkLineComponent, TitleComponent, TooltipComponent, LabelLayout, SVGRenderer,
]);
export { init };
