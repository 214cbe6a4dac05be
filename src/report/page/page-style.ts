import { html } from "./html.ts";

/** The style of the page: system fonts, one accent. Without `<` and `&`, so that the page is well-formed XML. */
export const PAGE_STYLE = html`
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1d21;--soft:#5a616b;--rule:#e3e5e9;--bar:#6b7480;--accent:#b3261e;--code:#f4f5f7}
@media (prefers-color-scheme:dark){:root{--paper:#15171b;--ink:#e7e9ec;--soft:#a2a9b3;--rule:#2c3037;--bar:#8b94a1;--accent:#ff8b7d;--code:#1f2228}}
*{box-sizing:border-box}
html{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;background:var(--paper);color:var(--ink);-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-behavior:smooth}
body{max-width:62rem;margin:0 auto;padding:3rem 1.5rem 4rem;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
h1,h2,p,ul,ol,dl,dd,figure{margin:0;padding:0}
ul,ol{list-style:none}
h1{font-size:1.75rem;line-height:1.2;font-weight:650;letter-spacing:-.015em}
h2{font-size:1.125rem;line-height:1.3;font-weight:650}
section{margin-top:3.5rem}
main:focus{outline:none}
a{color:inherit;text-underline-offset:.2em}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px;border-radius:2px}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
b{font-weight:600}
.brand{font-weight:600;color:var(--accent);margin-bottom:.25rem}
.about,.faint,footer,.panel,.axis,.facts{color:var(--soft)}
.about{font-size:.9375rem}
.skip{position:absolute;left:-99rem;top:.5rem;padding:.5rem .75rem;background:var(--paper)}
.skip:focus{left:.75rem}
.patterns{position:absolute}
.summary{display:grid;grid-template-columns:repeat(4,1fr);margin-top:2rem;border-top:1px solid var(--rule);border-bottom:1px solid var(--rule)}
.summary div{padding:1rem 1.25rem}
.summary div:first-child{padding-left:0}
.summary div+div{border-left:1px solid var(--rule)}
dt{font-size:.875rem;color:var(--soft)}
dd b{display:block;font-size:1.75rem;line-height:1.25;font-weight:600;letter-spacing:-.02em}
dd span{font-size:.875rem;color:var(--soft)}
nav{margin-top:1rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.9375rem}
nav a{color:var(--soft);text-decoration-color:var(--rule);display:inline-block;padding:.25rem 0}
nav a:hover{color:var(--ink);text-decoration-color:currentColor}
svg{display:block;overflow:hidden}
.continue{fill:var(--bar)}
.block{fill:var(--accent)}
.halt{fill:url(#stripes)}.ask{fill:url(#hatch)}.changed,.other{fill:url(#slant)}
.paper{fill:var(--paper)}.ink{fill:var(--accent)}
.grid,.base{stroke:var(--rule);stroke-width:1}
.base{stroke:var(--bar)}
.cut{stroke:var(--paper);stroke-width:1}
.p50,.p95{stroke:var(--ink);stroke-width:1.5}
.p95{stroke-dasharray:2 2}
.scale{font-size:.75rem;fill:var(--soft);overflow:visible}
.plot{overflow:visible}
.plot g g:hover rect{fill:var(--ink)}
.panel{font-size:.8125rem;margin-top:1.25rem}
.axis{display:flex;justify-content:space-between;font-size:.8125rem;margin-top:.375rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.75rem 0 1rem;font-size:.875rem}
.legend li,.mark{display:inline-flex;align-items:center;gap:.4rem}
.swatch{flex:none}
.swatch .ask,.swatch .halt,.share .ask,.share .halt,.span .ask,.span .halt{stroke:var(--accent);stroke-width:1}
.swatch .changed,.share .changed,.span .changed{stroke:var(--bar);stroke-width:1}
.mark{font-size:.875rem;white-space:nowrap}
summary{cursor:pointer}
.numbers{margin-top:1rem}
.numbers summary{font-size:.875rem;color:var(--soft);width:fit-content}
.numbers .figures{max-width:36rem;font-size:.875rem}
.failing{padding:1.25rem 1.5rem;border:1px solid var(--accent);border-radius:6px;margin-top:2.5rem}
.failing h2{color:var(--accent)}
.failures li{margin-top:.75rem}
.command{display:inline-block;padding:.125rem .4rem;background:var(--code);border-radius:4px;user-select:all;-webkit-user-select:all}
.figures{width:100%;border-collapse:collapse;margin-top:1rem;font-size:.9375rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.figures td,.figures th{padding:.5rem 0 .5rem 1rem;text-align:left;vertical-align:middle;font-weight:400}
.figures .name{padding-left:0}
.figures tbody .name{font-weight:500}
.figures .number,.figures .offset{text-align:right;white-space:nowrap}
.figures thead{font-size:.8125rem;color:var(--soft)}
.figures thead th,.figures thead td{padding-bottom:.25rem}
.figures tbody tr{border-top:1px solid var(--rule)}
.latency .bar{width:30%}.hooks .bar,.tools .bar{width:32%}.waterfall .bar{width:45%}
.latency .bar{padding-left:1.5rem}
.figures thead th{overflow-wrap:normal}
.waterfall .text{width:9rem}
.waterfall{font-size:.875rem;margin-top:.75rem}
.waterfall.figures td,.waterfall.figures th{padding-top:.25rem;padding-bottom:.25rem}
.waterfall.figures tbody tr{border:0}
.runs{margin-top:1rem;border-bottom:1px solid var(--rule)}
.runs li{border-top:1px solid var(--rule)}
.runs summary{display:grid;grid-template-columns:8rem minmax(0,1fr) 5.5rem .75rem;gap:0 1rem;align-items:baseline;padding:.625rem 0;list-style:none}
.runs summary::-webkit-details-marker{display:none}
.runs summary::after{content:"";width:.5rem;height:.5rem;border:solid var(--soft);border-width:0 1.5px 1.5px 0;transform:rotate(45deg);align-self:start;margin-top:.375rem}
.runs details[open] summary::after{transform:rotate(225deg);margin-top:.625rem}
.runs summary::after{grid-area:1/4}.figure{grid-area:1/1}.call{grid-area:1/2}.runs .mark{grid-area:1/3}
.runs summary:hover{background:var(--code)}
.figure{font-size:.9375rem;white-space:nowrap}
#slowest .figure{text-align:right}
.call{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
details[open] .call{white-space:normal}
.runs .mark{align-self:start;margin-top:.125rem}
.runs details>p,.runs .figures{margin:0 0 .75rem 9rem}
.runs .figures{width:calc(100% - 9rem)}
.reason{grid-column:2/-1;padding-right:1.75rem;font-size:.9375rem;color:var(--soft);display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
details[open] .reason{display:block;color:inherit}
.facts{font-size:.875rem}
.empty{padding:3rem 0;border-top:1px solid var(--rule)}
.empty p{margin-top:.5rem}
footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--rule);font-size:.8125rem;max-width:46rem}
@media (max-width:40rem){
body{padding:1.5rem 1rem 3rem}
section{margin-top:2.75rem}
.summary{grid-template-columns:1fr 1fr}
.summary div,.summary div:first-child{padding:.75rem 0}
.summary div+div{border-left:0}
.summary div:nth-child(n+3){border-top:1px solid var(--rule)}
.failing{padding:1rem}
.figures,.figures thead,.figures tbody{display:block}
.figures tr{display:grid;grid-template-columns:repeat(4,1fr);gap:0 .5rem;padding:.625rem 0}
.hooks tr,.tools tr{grid-template-columns:repeat(5,1fr)}
.timeline tr{grid-template-columns:2fr repeat(auto-fit,minmax(3rem,1fr))}
.waterfall tr{grid-template-columns:minmax(0,1fr) auto minmax(4.5rem,auto)}
.waterfall .offset{position:absolute;clip-path:inset(50%)}
.waterfall.figures .name{grid-column:1;display:block}
.waterfall.figures .bar{grid-row:2}
.figures td,.figures th,.latency .bar{padding:0}
.figures .name,.figures .bar{grid-column:1/-1;width:auto}
.figures tbody .bar{padding:.25rem 0}
.timeline .name{grid-column:auto}
.figures thead .name,.figures thead .bar{display:none}
.latency.figures thead .bar{display:block}
.timeline.figures thead .name{display:block}
.figures .number{font-size:.875rem}
.figures thead .number{font-size:.8125rem}
.waterfall.figures tr{padding:.125rem 0}.waterfall.figures tbody .bar{padding:0}
.latency .number:nth-child(2),.hooks .number:nth-child(3),.tools .number:nth-child(3){text-align:left}
.latency .bar{order:9}.hooks .number,.tools .number{order:5}
.runs summary{grid-template-columns:minmax(0,1fr) auto .75rem;gap:.125rem .75rem}
.runs .call{grid-area:2/1/3/-1}.runs .mark{grid-area:1/2}.runs summary::after{grid-area:1/3}.reason{grid-column:1/-1}
#slowest .figure{text-align:left}
.runs details>p,.runs .figures{margin-left:0;width:100%}
}
@media (forced-colors:active){.continue{fill:CanvasText}.block,.ink{fill:Highlight}.paper{fill:Canvas}.grid,.base,.p50,.p95{stroke:CanvasText}.scale{fill:CanvasText}}
@media print{
:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;--bar:#6b7480;--accent:#b3261e;--code:#fff}
html{font-size:11px}body{padding:0;max-width:none}
nav,.skip,.numbers,.runs summary::after{display:none}
section{margin-top:2rem}
details::details-content{content-visibility:visible;display:block;block-size:auto}
svg,.command{print-color-adjust:exact;-webkit-print-color-adjust:exact}
tr,.runs li,figure{break-inside:avoid}h2{break-after:avoid}
}
`;
